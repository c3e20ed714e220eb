/**
 * Every kind of row, declared once: schema, primary key, unique and plain indexes.
 * Engines know nothing of what a row means; all they know stands here.
 */
import { z } from 'zod';

/** What an index sees of a row: no value, one, or several. */
type IndexValue = string | readonly string[] | undefined;
type IndexFunctions<R> = Readonly<Record<string, (row: R) => IndexValue>>;

export interface TableDefinition<R, U extends IndexFunctions<R>, I extends IndexFunctions<R>> {
  readonly schema: z.ZodType<R>;
  readonly key: (row: R) => string;
  readonly unique: U;
  readonly index: I;
}

function table<R, U extends IndexFunctions<R>, I extends IndexFunctions<R>>(
  schema: z.ZodType<R>,
  key: (row: R) => string,
  indexes: { unique: U; index: I },
): TableDefinition<R, U, I> {
  return { schema, key, ...indexes };
}

const text = z.string();
const names = z.array(z.string()).readonly();
const instant = z.string().describe('ISO 8601, UTC');

const SigningKeyRow = z
  .strictObject({
    kid: text,
    alg: text,
    current: z.boolean(),
    privateJwk: z.record(z.string(), z.unknown()),
    publicJwk: z.record(z.string(), z.unknown()),
    createdAt: instant,
  })
  .readonly();

/** A name under which a token's `sub` may be known, held for ever: a removed one is not given out again. */
const SubjectRow = z
  .strictObject({ subject: text, kind: z.enum(['user', 'client', 'service']), ownerId: text, retired: z.boolean() })
  .readonly();

const ClientRow = z
  .strictObject({
    clientId: text,
    secretHash: text.optional(),
    appId: text,
    party: z.enum(['1STPARTY', '3RDPARTY']),
    authorities: names,
    scope: names,
    grantTypes: names,
    redirectURI: text.optional(),
    serviceAccountId: text.optional(),
    userId: text.optional(),
    businessId: text.optional(),
    organizationId: text.optional(),
    businessUnitId: text.optional(),
    factorVisibility: z.enum(['CREDENTIALS_ONLY', 'MARKED_RESOURCES', 'UNRESTRICTED']),
    /** What the first start made: such a client can't be removed. */
    bootstrap: z.enum(['admin', 'app']).optional(),
    createdAt: instant,
    /** Tokens issued before this instant (epoch seconds) are no longer taken: set when the secret changes. */
    tokensValidFrom: z.number().optional(),
  })
  .readonly();

const ApiKeyRow = z
  .strictObject({
    apiKeyId: text,
    appId: text,
    clientId: text,
    keyHash: text,
    hint: text,
    createdAt: instant,
    lastUsedAt: instant.optional(),
  })
  .readonly();

const GroupRow = z
  .strictObject({
    groupId: text,
    groupName: text,
    organizationId: text.optional(),
    businessUnitId: text.optional(),
    roles: names,
    /** Ids of the groups whose roles this one has as well. */
    dependencies: names,
    createdAt: instant,
  })
  .readonly();

const MembershipRow = z
  .strictObject({
    groupId: text,
    kind: z.enum(['user', 'business', 'businessUser', 'service']),
    memberId: text,
    /** With kind businessUser: the business in whose name the user is a member. */
    businessId: text.optional(),
  })
  .readonly();

const Phone = z.strictObject({ regionCode: z.number(), areaCode: z.number(), phoneNumber: z.number() }).readonly();

const UserRow = z
  .strictObject({
    userId: text,
    userName: text,
    passwordHash: text.optional(),
    userEmail: text.optional(),
    emailVerified: z.boolean(),
    userMobile: Phone.optional(),
    mobileVerified: z.boolean(),
    businessId: text.optional(),
    lead: z.boolean(),
    locked: z.boolean(),
    lockReason: text.optional(),
    /** Further names that log the user in. */
    identities: names,
    legacyLogons: names.optional(),
    /** What the first start made. */
    bootstrap: z.enum(['admin']).optional(),
    createdAt: instant,
  })
  .readonly();

const BusinessRow = z
  .strictObject({
    businessId: text,
    businessName: text,
    document: text.optional(),
    organizationId: text.optional(),
    businessUnitId: text.optional(),
    createdAt: instant.optional(),
  })
  .readonly();

const CorporateGroupRow = z
  .strictObject({
    corporateGroupId: text,
    corporateGroupName: text,
    organizationId: text.optional(),
    /** Ids of its businesses; a business is in one corporate group at most. */
    businesses: names,
    createdAt: instant,
  })
  .readonly();

const CustomerRow = z
  .strictObject({
    customerId: z.int(),
    document: text,
    name: text.optional(),
    userId: text.optional(),
    businessId: text.optional(),
    createdAt: instant,
  })
  .readonly();

/** Numbers that are given out one after the other. */
const CounterRow = z.strictObject({ name: text, last: z.int() }).readonly();

/**
 * What a login began: tokens name it, and end with it. Times are epoch seconds. A session without userId is that of a
 * client that was given a refresh token.
 */
const SessionRow = z
  .strictObject({
    sessionId: text,
    clientId: text,
    userId: text.optional(),
    level: z.enum(['NONE', 'AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA']),
    /** When the second proof was given: AUTH-MFA lasts 12 hours from then. */
    mfaAt: z.number().optional(),
    /** AUTH-SMART on top of the level. */
    smart: z.boolean(),
    /** Asked to be remembered: its access tokens are short. */
    remember: z.boolean(),
    startedAt: z.number(),
    endsAt: z.number(),
  })
  .readonly();

/** A refresh token by its hash. Used ones stay until their session ends, so that a second use is noticed. */
const RefreshTokenRow = z
  .strictObject({ tokenHash: text, sessionId: text, used: z.boolean(), issuedAt: z.number() })
  .readonly();

/** A message that went out, or would have: the outbox is part of the store. */
const MessageRow = z
  .strictObject({
    messageId: text,
    to: text,
    channel: z.enum(['email', 'sms']),
    purpose: text,
    text: text,
    createdAt: instant,
  })
  .readonly();

/** Ids and names hold no slash, so it parts them. */
export function membershipKey(row: z.infer<typeof MembershipRow>): string {
  return [row.groupId, row.kind, row.businessId ?? '', row.memberId].join('/');
}

/** The value of the index `member`: everything that one member, or pair, is in. */
export function memberValue(row: Pick<z.infer<typeof MembershipRow>, 'kind' | 'memberId' | 'businessId'>): string {
  return [row.kind, row.businessId ?? '', row.memberId].join('/');
}

/** Customer ids are numbers; keys are text, ordered alike. */
export function customerKey(customerId: number): string {
  return String(customerId).padStart(12, '0');
}

/** E-mails and login identifiers compare NFC-normalised and lower-cased. */
export function foldIdentifier(value: string): string {
  return value.normalize('NFC').toLowerCase();
}

/** Every name that logs a user in; one name space over all users. */
function loginNames(user: z.infer<typeof UserRow>): string[] {
  const given = [user.userId, user.userName, ...user.identities];
  if (user.userEmail !== undefined && user.emailVerified) given.push(user.userEmail);
  return [...new Set(given.map(foldIdentifier))];
}

export const tables = {
  signingKeys: table(SigningKeyRow, (row) => row.kid, { unique: {}, index: {} }),
  subjects: table(SubjectRow, (row) => row.subject, { unique: {}, index: {} }),
  clients: table(ClientRow, (row) => row.clientId, {
    unique: { serviceAccountId: (row) => row.serviceAccountId, bootstrap: (row) => row.bootstrap },
    index: { userId: (row) => row.userId, businessId: (row) => row.businessId },
  }),
  apiKeys: table(ApiKeyRow, (row) => row.apiKeyId, {
    unique: { keyHash: (row) => row.keyHash },
    index: { clientId: (row) => row.clientId, appId: (row) => row.appId },
  }),
  groups: table(GroupRow, (row) => row.groupId, {
    unique: { groupName: (row) => row.groupName },
    index: {
      role: (row) => row.roles,
      dependency: (row) => row.dependencies,
      organizationId: (row) => row.organizationId,
      businessUnitId: (row) => row.businessUnitId,
    },
  }),
  memberships: table(MembershipRow, membershipKey, {
    unique: {},
    index: { group: (row) => row.groupId, member: memberValue, business: (row) => row.businessId },
  }),
  users: table(UserRow, (row) => row.userId, {
    unique: { login: loginNames, bootstrap: (row) => row.bootstrap },
    index: { businessId: (row) => row.businessId },
  }),
  businesses: table(BusinessRow, (row) => row.businessId, { unique: { document: (row) => row.document }, index: {} }),
  corporateGroups: table(CorporateGroupRow, (row) => row.corporateGroupId, {
    unique: { corporateGroupName: (row) => row.corporateGroupName, business: (row) => row.businesses },
    index: {},
  }),
  customers: table(CustomerRow, (row) => customerKey(row.customerId), {
    unique: {
      userId: (row) => row.userId,
      businessId: (row) => row.businessId,
      document: (row) => `${row.userId === undefined ? 'business' : 'user'}/${row.document}`,
    },
    index: {},
  }),
  counters: table(CounterRow, (row) => row.name, { unique: {}, index: {} }),
  sessions: table(SessionRow, (row) => row.sessionId, {
    unique: {},
    index: { userId: (row) => row.userId, clientId: (row) => row.clientId },
  }),
  refreshTokens: table(RefreshTokenRow, (row) => row.tokenHash, {
    unique: {},
    index: { sessionId: (row) => row.sessionId },
  }),
  messages: table(MessageRow, (row) => row.messageId, { unique: {}, index: { to: (row) => row.to } }),
};

export type TableName = keyof typeof tables;
export type Row<Name extends TableName> = z.infer<(typeof tables)[Name]['schema']>;
export type Uniques<Name extends TableName> = Extract<keyof (typeof tables)[Name]['unique'], string>;
export type Indexes<Name extends TableName> = Extract<keyof (typeof tables)[Name]['index'], string>;

export type Client = Row<'clients'>;
export type ApiKey = Row<'apiKeys'>;
export type Group = Row<'groups'>;
export type Membership = Row<'memberships'>;
export type User = Row<'users'>;
export type Business = Row<'businesses'>;
export type SigningKey = Row<'signingKeys'>;
export type CorporateGroup = Row<'corporateGroups'>;
export type Customer = Row<'customers'>;
export type Session = Row<'sessions'>;

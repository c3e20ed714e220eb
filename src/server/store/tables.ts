/**
 * The tables: row schema, primary key, unique and plain indexes.
 * Engines know nothing else about the rows.
 */
import type * as z from 'zod';
import {
  DeviceRow,
  FactorRow,
  LogonRow,
  OneTimeTokenRow,
  OpaqueTokenRow,
  OtpAttemptsRow,
  OtpRateLimitRow,
  OtpRow,
  ProductRow,
  ProviderRow,
  StoreSecretRow,
  UsedAssertionRow,
} from './identity-rows.ts';
import {
  ApiKeyRow,
  BusinessRow,
  ClientRow,
  CorporateGroupRow,
  CounterRow,
  CustomerRow,
  GroupRow,
  MembershipRow,
  MessageRow,
  RefreshTokenRow,
  RevokedTokenRow,
  SessionRow,
  SigningKeyRow,
  SubjectRow,
  UserRow,
} from './rows.ts';

/** The values of a row in an index: none, one or several. */
type IndexValue = string | readonly string[] | undefined;
type IndexFunctions<R> = Readonly<Record<string, (row: R) => IndexValue>>;

export interface TableDefinition<R, U extends IndexFunctions<R>, I extends IndexFunctions<R>> {
  readonly schema: z.ZodType<R>;
  readonly key: (row: R) => string;
  readonly unique: U;
  readonly index: I;
}

function defineTable<R, U extends IndexFunctions<R>, I extends IndexFunctions<R>>(
  schema: z.ZodType<R>,
  key: (row: R) => string,
  indexes: { unique: U; index: I },
): TableDefinition<R, U, I> {
  return { schema, key, ...indexes };
}

/** Ids and names contain no slash, so a slash separates them. */
export function membershipKey(row: z.infer<typeof MembershipRow>): string {
  return [row.groupId, row.kind, row.businessId ?? '', row.memberId].join('/');
}

/** The value of the index `member`: all memberships of one member, or of one user of a business. */
export function memberValue(row: Pick<z.infer<typeof MembershipRow>, 'kind' | 'memberId' | 'businessId'>): string {
  return [row.kind, row.businessId ?? '', row.memberId].join('/');
}

/** The value of the index `memberList`: the members of one kind in one group; for business users those of one business. */
export function memberListKey(row: Pick<z.infer<typeof MembershipRow>, 'groupId' | 'kind' | 'businessId'>): string {
  return [row.groupId, row.kind, row.businessId ?? ''].join('/');
}

/** Customer ids are numbers; their keys are padded to sort in the same order. */
export function customerKey(customerId: number): string {
  return String(customerId).padStart(12, '0');
}

/** Normalizes e-mails and login identifiers for comparison: NFC, lower case. */
export function foldIdentifier(value: string): string {
  return value.normalize('NFC').toLowerCase();
}

/** Whether a name looks like an e-mail address: such a name is a login name once it is verified. */
export function hasEmailForm(name: string): boolean {
  return /^.+@.+$/su.test(foldIdentifier(name));
}

/** Whether a name looks like a link to an external account or a certificate: `<provider>:<subject>`. */
export function hasLinkForm(name: string): boolean {
  return foldIdentifier(name).includes(':');
}

/** Whether the user name can be used to log in. A name that looks like an e-mail address must be verified first. */
export function isUserNameVerified(user: z.infer<typeof UserRow>): boolean {
  if (hasLinkForm(user.userName)) return false;
  if (!hasEmailForm(user.userName) || user.userNameProven || user.bootstrap !== undefined) return true;
  const { userEmail = '', emailVerified } = user;
  return emailVerified && foldIdentifier(userEmail) === foldIdentifier(user.userName);
}

/** All login names of a user, unique over all users. A user id that looks like another kind of name is not one. */
export function loginNames(user: z.infer<typeof UserRow>): string[] {
  const names = [...user.identities];
  if (!hasLinkForm(user.userId) && !user.userId.includes('@')) names.push(user.userId);
  if (isUserNameVerified(user)) names.push(user.userName);
  if (user.userEmail !== undefined && user.emailVerified) names.push(user.userEmail);
  return [...new Set(names.map(foldIdentifier))];
}

/** The value of the unique index `named`: product alias and stock keeping unit (SKU). */
export function productName({ productAlias, sku }: Pick<z.infer<typeof ProductRow>, 'productAlias' | 'sku'>): string {
  return `${productAlias}\n${sku}`;
}

export const tables = {
  signingKeys: defineTable(SigningKeyRow, (row) => row.kid, { unique: {}, index: {} }),
  subjects: defineTable(SubjectRow, (row) => row.subject, { unique: {}, index: {} }),
  clients: defineTable(ClientRow, (row) => row.clientId, {
    unique: { serviceAccountId: (row) => row.serviceAccountId, bootstrap: (row) => row.bootstrap },
    index: {
      userId: (row) => row.userId,
      businessId: (row) => row.businessId,
      ownerClientId: (row) => row.ownerClientId,
      organizationId: (row) => row.organizationId,
    },
  }),
  apiKeys: defineTable(ApiKeyRow, (row) => row.apiKeyId, {
    unique: { keyHash: (row) => row.keyHash },
    index: { clientId: (row) => row.clientId, appId: (row) => row.appId },
  }),
  groups: defineTable(GroupRow, (row) => row.groupId, {
    unique: { groupName: (row) => row.groupName },
    index: {
      role: (row) => row.roles,
      dependency: (row) => row.dependencies,
      organizationId: (row) => row.organizationId,
      businessUnitId: (row) => row.businessUnitId,
    },
  }),
  memberships: defineTable(MembershipRow, membershipKey, {
    unique: {},
    index: {
      group: (row) => row.groupId,
      memberList: memberListKey,
      member: memberValue,
      business: (row) => row.businessId,
    },
  }),
  users: defineTable(UserRow, (row) => row.userId, {
    unique: { login: loginNames, legacyLogon: (row) => row.legacyLogons, bootstrap: (row) => row.bootstrap },
    index: { businessId: (row) => row.businessId },
  }),
  businesses: defineTable(BusinessRow, (row) => row.businessId, {
    unique: { document: (row) => row.document },
    index: {},
  }),
  corporateGroups: defineTable(CorporateGroupRow, (row) => row.corporateGroupId, {
    unique: { corporateGroupName: (row) => row.corporateGroupName, business: (row) => row.businesses },
    index: {},
  }),
  customers: defineTable(CustomerRow, (row) => customerKey(row.customerId), {
    unique: {
      userId: (row) => row.userId,
      businessId: (row) => row.businessId,
      document: (row) => `${row.userId === undefined ? 'business' : 'user'}/${row.document}`,
    },
    index: {},
  }),
  counters: defineTable(CounterRow, (row) => row.name, { unique: {}, index: {} }),
  sessions: defineTable(SessionRow, (row) => row.sessionId, {
    unique: {},
    index: { userId: (row) => row.userId, clientId: (row) => row.clientId, logon: (row) => row.logon },
  }),
  refreshTokens: defineTable(RefreshTokenRow, (row) => row.tokenHash, {
    unique: {},
    index: { sessionId: (row) => row.sessionId },
  }),
  revokedTokens: defineTable(RevokedTokenRow, (row) => row.tokenId, { unique: {}, index: {} }),
  messages: defineTable(MessageRow, (row) => row.messageId, {
    unique: {},
    index: { to: (row) => foldIdentifier(row.to), delivery: (row) => row.delivery, voids: (row) => row.voids },
  }),
  storeSecrets: defineTable(StoreSecretRow, (row) => row.name, { unique: {}, index: {} }),
  codes: defineTable(OtpRow, (row) => row.codeId, { unique: {}, index: { subject: (row) => row.subject } }),
  codeFailures: defineTable(OtpAttemptsRow, (row) => row.name, { unique: {}, index: {} }),
  sendings: defineTable(OtpRateLimitRow, (row) => row.contact, { unique: {}, index: {} }),
  tickets: defineTable(OneTimeTokenRow, (row) => row.ticketHash, {
    unique: {},
    index: { userId: (row) => row.userId },
  }),
  usedProofs: defineTable(UsedAssertionRow, (row) => row.proofHash, { unique: {}, index: {} }),
  devices: defineTable(DeviceRow, (row) => row.deviceKey, {
    unique: { tokenHash: (row) => row.tokenHash },
    index: { userId: (row) => row.userId },
  }),
  factors: defineTable(FactorRow, (row) => row.factorId, { unique: {}, index: { userId: (row) => row.userId } }),
  logons: defineTable(LogonRow, (row) => row.logon, { unique: {}, index: {} }),
  products: defineTable(ProductRow, (row) => row.productId, {
    unique: { named: (row) => productName(row) },
    index: { billingType: (row) => row.billingTypes },
  }),
  opaqueTokens: defineTable(OpaqueTokenRow, (row) => row.tokenHash, {
    unique: {},
    index: { userId: (row) => row.userId },
  }),
  providers: defineTable(ProviderRow, (row) => row.name, { unique: {}, index: { kind: (row) => row.kind } }),
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
export type Otp = Row<'codes'>;
export type OneTimeToken = Row<'tickets'>;
export type Device = Row<'devices'>;
export type Factor = Row<'factors'>;
export type Message = Row<'messages'>;
export type Logon = Row<'logons'>;
export type Product = Row<'products'>;
export type Provider = Row<'providers'>;

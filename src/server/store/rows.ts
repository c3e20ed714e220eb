/** What each kind of row holds. Rows are frozen: nobody changes one in place. */
import * as z from 'zod';
import { Phone } from './identity-rows.ts';
import { internString } from './intern.ts';

const text = z.string();
const names = z.array(z.string()).readonly();
/** Those that many rows have in common. */
const internedNames = z
  .array(z.string())
  .overwrite((list) => list.map(internString))
  .readonly();
const instant = z.string().describe('ISO 8601, UTC');

export const SigningKeyRow = z
  .strictObject({
    kid: text,
    alg: text,
    current: z.boolean(),
    privateJwk: z.record(z.string(), z.unknown()),
    publicJwk: z.record(z.string(), z.unknown()),
    createdAt: instant,
    /** The longest life, in seconds, of the tokens that it signs or signed. */
    longestToken: z.number().optional(),
    /** Of a key that signs no more: when the last of its tokens is over (epoch seconds). */
    retiresAt: z.number().optional(),
  })
  .readonly();

/** A name under which a token's `sub` may be known, held for ever: a removed one is not given out again. */
export const SubjectRow = z
  .strictObject({ subject: text, kind: z.enum(['user', 'client', 'service']), ownerId: text, retired: z.boolean() })
  .readonly();

export const ClientRow = z
  .strictObject({
    clientId: text,
    secretHash: text.optional(),
    appId: text,
    party: z.enum(['1STPARTY', '3RDPARTY']),
    authorities: internedNames,
    scope: names,
    grantTypes: names,
    redirectURI: text.optional(),
    serviceAccountId: text.optional(),
    userId: text.optional(),
    businessId: text.optional(),
    /** The client that made this one for itself, where neither a user nor a business owns it. */
    ownerClientId: text.optional(),
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

export const ApiKeyRow = z
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

export const GroupRow = z
  .strictObject({
    groupId: text,
    groupName: text,
    organizationId: text.optional(),
    businessUnitId: text.optional(),
    roles: internedNames,
    /** Ids of the groups whose roles this one has as well. */
    dependencies: names,
    createdAt: instant,
  })
  .readonly();

export const MembershipRow = z
  .strictObject({
    groupId: text,
    kind: z.enum(['user', 'business', 'businessUser', 'service']),
    memberId: text,
    /** With kind businessUser: the business in whose name the user is a member. */
    businessId: text.optional(),
    /** With kind service: made without an administrative role, so it gives only roles that the owner of the client holds. */
    delegated: z.literal(true).optional(),
  })
  .readonly();

export const UserRow = z
  .strictObject({
    userId: text,
    userName: text,
    /** A name in the form of an e-mail address that was proven, or set by an administrator or a seed. */
    userNameProven: z.literal(true).optional(),
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
    /** Sources and devices that the user logged in from, as keyed hashes; `at` is in epoch seconds. Newest last. */
    knownSources: z
      .array(z.strictObject({ hash: text, at: z.number() }).readonly())
      .readonly()
      .optional(),
    /** What the first start made. */
    bootstrap: z.enum(['admin']).optional(),
    createdAt: instant,
  })
  .readonly();

export const BusinessRow = z
  .strictObject({
    businessId: text,
    businessName: text,
    document: text.optional(),
    organizationId: text.optional(),
    businessUnitId: text.optional(),
    createdAt: instant.optional(),
  })
  .readonly();

export const CorporateGroupRow = z
  .strictObject({
    corporateGroupId: text,
    corporateGroupName: text,
    organizationId: text.optional(),
    /** Ids of its businesses; a business is in one corporate group at most. */
    businesses: names,
    createdAt: instant,
  })
  .readonly();

export const CustomerRow = z
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
export const CounterRow = z.strictObject({ name: text, last: z.int() }).readonly();

/**
 * What a login began: tokens name it, and end with it. Times are epoch seconds. A session with neither userId nor
 * logon is that of a client that was given a refresh token.
 */
export const SessionRow = z
  .strictObject({
    sessionId: text,
    clientId: text,
    userId: text.optional(),
    level: z.enum(['NONE', 'AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA']),
    /** When the second proof was given: AUTH-MFA lasts 12 hours from then. */
    mfaAt: z.number().optional(),
    /** AUTH-SMART on top of the level. */
    smart: z.boolean(),
    /** A part of the client's scope, where less was asked for. */
    scope: names.optional(),
    /** Asked to be remembered: its access tokens are short. */
    remember: z.boolean(),
    /** The mainframe logon that it began with; without userId the logon is bound to no user. */
    logon: text.optional(),
    /** The device that its refresh token is bound to: then only this one renews it. */
    deviceKey: text.optional(),
    startedAt: z.number(),
    endsAt: z.number(),
  })
  .readonly();

/** A refresh token by its hash. Used ones stay until their session ends, so that a second use is noticed. */
export const RefreshTokenRow = z
  .strictObject({ tokenHash: text, sessionId: text, used: z.boolean(), issuedAt: z.number() })
  .readonly();

/** An access token without a session that was revoked, until it would have ended (epoch seconds). */
export const RevokedTokenRow = z.strictObject({ tokenId: text, expiresAt: z.number() }).readonly();

/** A message that went out, or would have: the outbox is part of the store. */
export const MessageRow = z
  .strictObject({
    messageId: text,
    to: text,
    channel: z.enum(['email', 'sms']),
    purpose: text,
    /** What it says; `{code}` stands where the code is. */
    text: text,
    /** The code, under the key of the store. */
    sealedCode: text.optional(),
    codeId: text.optional(),
    /** The id of the code, good until then, that this message's code took the place of. */
    voids: text.optional(),
    createdAt: instant,
    expiresAt: instant.optional(),
    /** Absent where the outbox is where it stays; else what became of handing it on. `late`: nobody sees it yet. */
    delivery: z.enum(['waiting', 'sent', 'failed', 'late']).optional(),
    /** When it arrives, where it is late. */
    arrivesAt: instant.optional(),
    /** Of a notice that waits for others to go out with it: how many it stands for. */
    collapsed: z.int().optional(),
    /** Why it could not be handed on. */
    failure: text.optional(),
  })
  .readonly();

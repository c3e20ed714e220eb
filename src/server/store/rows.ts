/** Row schemas. Rows are immutable. */
import * as z from 'zod';
import { Phone } from './identity-rows.ts';
import { internString } from './schema/intern.ts';

const text = z.string();
const names = z.array(z.string()).readonly();
/** Names that many rows share. */
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
    /** The maximum lifetime, in seconds, of the tokens signed with it. */
    longestToken: z.number().optional(),
    /** For a retired key: when its last token expires (epoch seconds). */
    retiresAt: z.number().optional(),
  })
  .readonly();

/** A `sub` of tokens, reserved permanently: a removed one is never reused. */
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
    /** The client that created this one, if neither a user nor a business owns it. */
    ownerClientId: text.optional(),
    organizationId: text.optional(),
    businessUnitId: text.optional(),
    factorVisibility: z.enum(['CREDENTIALS_ONLY', 'MARKED_RESOURCES', 'UNRESTRICTED']),
    /** Set for a client created at the first start, which can't be removed. */
    bootstrap: z.enum(['admin', 'app']).optional(),
    createdAt: instant,
    /** Tokens issued before this instant (epoch seconds) are rejected. Set when the secret changes. */
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
    /** Ids of the groups whose roles this group inherits. */
    dependencies: names,
    createdAt: instant,
  })
  .readonly();

export const MembershipRow = z
  .strictObject({
    groupId: text,
    kind: z.enum(['user', 'business', 'businessUser', 'service']),
    memberId: text,
    /** With kind businessUser: the business that the user represents. */
    businessId: text.optional(),
    /** With kind service: created without an administrative role, so it grants only roles that the client's owner has. */
    delegated: z.literal(true).optional(),
  })
  .readonly();

export const UserRow = z
  .strictObject({
    userId: text,
    userName: text,
    /** Set for an e-mail-like name that was verified, or set by an administrator or a seed. */
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
    /** Additional login identifiers. */
    identities: names,
    legacyLogons: names.optional(),
    /** Sources and devices that the user logged in from, as keyed hashes; `at` is in epoch seconds. Newest last. */
    knownSources: z
      .array(z.strictObject({ hash: text, at: z.number() }).readonly())
      .readonly()
      .optional(),
    /** Set for the administrator created at the first start. */
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
    /** Ids of its businesses. A business belongs to one corporate group at most. */
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

/** Sequential counters. */
export const CounterRow = z.strictObject({ name: text, last: z.int() }).readonly();

/**
 * A login session. Its tokens refer to it and end with it. Times are epoch seconds. A session without userId and logon
 * belongs to a client that obtained a refresh token.
 */
export const SessionRow = z
  .strictObject({
    sessionId: text,
    clientId: text,
    userId: text.optional(),
    level: z.enum(['NONE', 'AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA']),
    /** When the second factor was verified: AUTH-MFA lasts 12 hours from then. */
    mfaAt: z.number().optional(),
    /** AUTH-SMART on top of the level. */
    smart: z.boolean(),
    /** The requested subset of the client's scope. */
    scope: names.optional(),
    /** A remembered session: its access tokens are short-lived. */
    remember: z.boolean(),
    /** The mainframe logon it started with; without userId the logon is not bound to a user. */
    logon: text.optional(),
    /** The device that its refresh token is bound to; only this device can renew it. */
    deviceKey: text.optional(),
    startedAt: z.number(),
    endsAt: z.number(),
  })
  .readonly();

/** A refresh token, by its hash. Used ones are retained until their session ends, to detect reuse. */
export const RefreshTokenRow = z
  .strictObject({ tokenHash: text, sessionId: text, used: z.boolean(), issuedAt: z.number() })
  .readonly();

/** A revoked access token without a session, retained until it expires (epoch seconds). */
export const RevokedTokenRow = z.strictObject({ tokenId: text, expiresAt: z.number() }).readonly();

/** An outgoing message: the outbox is part of the store. */
export const MessageRow = z
  .strictObject({
    messageId: text,
    to: text,
    channel: z.enum(['email', 'sms']),
    purpose: text,
    /** The text, with `{code}` as placeholder for the code. */
    text: text,
    /** The code, encrypted with the key of the store. */
    sealedCode: text.optional(),
    codeId: text.optional(),
    /** The id of the valid code that this message's code replaced. */
    voids: text.optional(),
    createdAt: instant,
    expiresAt: instant.optional(),
    /** The delivery state; absent if messages stay in the outbox. `late`: not yet visible. */
    delivery: z.enum(['waiting', 'sent', 'failed', 'late']).optional(),
    /** When a late message becomes visible. */
    arrivesAt: instant.optional(),
    /** For a collapsed notice: the number of notices that it combines. */
    collapsed: z.int().optional(),
    /** Why delivery failed. */
    failure: text.optional(),
  })
  .readonly();

/** Row schemas of user flows: codes, contacts, devices, one-time tokens and external systems. */
import * as z from 'zod';

const text = z.string();
const names = z.array(z.string()).readonly();
const instant = z.string().describe('ISO 8601, UTC');
const epoch = z.number().describe('Epoch seconds');

export const Phone = z
  .strictObject({ regionCode: z.number(), areaCode: z.number(), phoneNumber: z.number() })
  .readonly();

/** Random secrets of this store, such as the key of its digests. */
export const StoreSecretRow = z.strictObject({ name: text, value: text }).readonly();

/** Events of the last hour, oldest first, with the digest of their source. */
const sourceEvents = z.array(z.strictObject({ source: text.optional(), at: epoch }).readonly()).readonly();

/** A six-digit one-time code, stored as a keyed hash. Used and expired codes are retained for a while to recognize them. */
export const OtpRow = z
  .strictObject({
    codeId: text,
    purpose: text,
    /** The owner: `user:ID`, `contact:KEY` or `logon:NAME`. */
    subject: text,
    /** The factor or logon it applies to, if the subject has several. */
    target: text.optional(),
    /** The logon to bind, if that is not the subject itself. */
    about: text.optional(),
    /** The digest of the source that requested it, and whether the source was known. */
    source: text.optional(),
    known: z.boolean().optional(),
    /** Orders codes of the same second. */
    sequence: z.int().optional(),
    codeHash: text,
    used: z.boolean(),
    createdAt: epoch,
    expiresAt: epoch,
  })
  .readonly();

/** Failed codes of one subject for one purpose. Old rows, without sources, have `failures` and `lastAt`. */
export const OtpAttemptsRow = z
  .strictObject({
    name: text,
    failures: z.int().optional(),
    lastAt: epoch.optional(),
    events: sourceEvents.optional(),
  })
  .readonly();

/** Codes sent to a contact or requested for a name. Old rows, without sources, have `times`. */
export const OtpRateLimitRow = z
  .strictObject({ contact: text, times: z.array(epoch).readonly().optional(), events: sourceEvents.optional() })
  .readonly();

/** A single-use token, by its hash: of generate-param, a certificate nonce, or for grant-auth-smart. */
export const OneTimeTokenRow = z
  .strictObject({
    ticketHash: text,
    kind: z.enum(['param', 'certificate-nonce', 'auth-smart']),
    clientId: text.optional(),
    targetClientId: text.optional(),
    userId: text.optional(),
    sessionId: text.optional(),
    /** The narrowed scope of the token that it represents. */
    scope: names.optional(),
    expiresAt: epoch,
  })
  .readonly();

/** The hash of an accepted SAML assertion or ID token, to reject a replay. */
export const UsedAssertionRow = z.strictObject({ proofHash: text, expiresAt: epoch }).readonly();

/** A device of a user. Its token is stored as a hash. */
export const DeviceRow = z
  .strictObject({
    deviceKey: text,
    userId: text,
    deviceId: text,
    deviceVersion: z.enum(['V1', 'V2']).optional(),
    deviceName: text.optional(),
    tokenHash: text,
    createdAt: instant,
  })
  .readonly();

/** An alternative contact of a user. */
export const FactorRow = z
  .strictObject({
    factorId: text,
    userId: text,
    contactType: z.enum(['EMAIL', 'MOBILE']),
    email: text.optional(),
    mobile: Phone.optional(),
    tags: names,
    verified: z.boolean(),
    createdAt: instant,
  })
  .readonly();

/** A logon of the embedded mainframe. */
export const LogonRow = z
  .strictObject({
    logon: text,
    passwordHash: text.optional(),
    email: text.optional(),
    mobile: Phone.optional(),
  })
  .readonly();

/** A product of the embedded product system. */
export const ProductRow = z
  .strictObject({ productId: text, productAlias: text, sku: text, billingTypes: names })
  .readonly();

/** An opaque product token, by its hash. */
export const OpaqueTokenRow = z
  .strictObject({
    tokenHash: text,
    userId: text.optional(),
    clientId: text,
    productId: text,
    billingType: text.optional(),
    expiresAt: epoch,
  })
  .readonly();

/** A trusted identity provider or certificate authority. Certificates are PEM or base64 DER. */
export const ProviderRow = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('oidc'),
      name: text,
      issuer: text,
      clientId: text,
      jwksUri: text,
      emailDomains: names,
    })
    .readonly(),
  z
    .strictObject({
      kind: z.literal('saml'),
      name: text,
      entityId: text,
      certificates: names,
      audience: text,
      emailDomains: names,
    })
    .readonly(),
  z.strictObject({ kind: z.literal('certificateAuthority'), name: text, certificate: text }).readonly(),
]);

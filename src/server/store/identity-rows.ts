/** What the rows of the flows of users hold: codes, contacts, devices, single-use values, and the world outside. */
import * as z from 'zod';

const text = z.string();
const names = z.array(z.string()).readonly();
const instant = z.string().describe('ISO 8601, UTC');
const epoch = z.number().describe('Epoch seconds');

export const Phone = z
  .strictObject({ regionCode: z.number(), areaCode: z.number(), phoneNumber: z.number() })
  .readonly();

/** Random values that belong to this store alone, such as the key of its digests. */
export const StoreSecretRow = z.strictObject({ name: text, value: text }).readonly();

/** What happened within the last hour, the oldest first, and the digest of the source that it came from. */
const sourceEvents = z.array(z.strictObject({ source: text.optional(), at: epoch }).readonly()).readonly();

/** A six-digit code that was sent, as a keyed hash. A used or expired one stays for a while, so that it is recognized. */
export const OtpRow = z
  .strictObject({
    codeId: text,
    purpose: text,
    /** Whose it is: `user:ID`, `contact:KEY`, `logon:NAME`. */
    subject: text,
    /** What it is about, where a subject has several: a factor, a logon. */
    target: text.optional(),
    /** What a right one is good for, where that is not the subject itself: the logon that is to be bound. */
    about: text.optional(),
    /** The source that asked for it, as the digest that its attempts count by, and whether it was a known one. */
    source: text.optional(),
    known: z.boolean().optional(),
    /** Orders those of one second. */
    sequence: z.int().optional(),
    codeHash: text,
    used: z.boolean(),
    createdAt: epoch,
    expiresAt: epoch,
  })
  .readonly();

/** Wrong codes of one subject for one purpose. Rows written before sources were counted have `failures` and `lastAt`. */
export const OtpAttemptsRow = z
  .strictObject({
    name: text,
    failures: z.int().optional(),
    lastAt: epoch.optional(),
    events: sourceEvents.optional(),
  })
  .readonly();

/** Codes that went to a contact, or were asked for under a name. Rows written before sources were counted have `times`. */
export const OtpRateLimitRow = z
  .strictObject({ contact: text, times: z.array(epoch).readonly().optional(), events: sourceEvents.optional() })
  .readonly();

/** A value that is good for one use: of generate-param, for a certificate to sign, for grant-auth-smart. By its hash. */
export const OneTimeTokenRow = z
  .strictObject({
    ticketHash: text,
    kind: z.enum(['param', 'certificate-nonce', 'auth-smart']),
    clientId: text.optional(),
    targetClientId: text.optional(),
    userId: text.optional(),
    sessionId: text.optional(),
    /** What the one it stands for was narrowed to. */
    scope: names.optional(),
    expiresAt: epoch,
  })
  .readonly();

/** A proof of somebody else's making that was taken, and is not taken again: a SAML assertion, an ID token. */
export const UsedAssertionRow = z.strictObject({ proofHash: text, expiresAt: epoch }).readonly();

/** A device of a user. What it shows is kept as a hash. */
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

/** A contact beside the main ones. */
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

/** Somebody whose word on who a user is counts. Certificates are PEM or base64 DER. */
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

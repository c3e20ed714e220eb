/** One-time codes, and the events that limit failed attempts and deliveries. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { epoch, secret, text } from './fields.ts';

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
    source: text,
    known: z.boolean(),
    /** Orders codes of the same second. */
    sequence: z.int(),
    codeHash: secret,
    used: z.boolean(),
    createdAt: epoch,
    expiresAt: epoch,
  })
  .readonly();

export type Otp = z.infer<typeof OtpRow>;

/** Events of the last hour, oldest first, with the digest of their source. */
const sourceEvents = z.array(z.strictObject({ source: text, at: epoch }).readonly()).readonly();

/** Failed codes of one subject for one purpose. */
export const OtpAttemptsRow = z.strictObject({ name: text, events: sourceEvents }).readonly();

/** Codes sent to a contact or requested for a name. */
export const OtpRateLimitRow = z.strictObject({ contact: text, events: sourceEvents }).readonly();

export const otpTable = defineTable(OtpRow, (row) => row.codeId, {
  unique: {},
  index: { subject: (row) => row.subject },
});

export const otpAttemptsTable = defineTable(OtpAttemptsRow, (row) => row.name, { unique: {}, index: {} });

export const otpRateLimitTable = defineTable(OtpRateLimitRow, (row) => row.contact, { unique: {}, index: {} });

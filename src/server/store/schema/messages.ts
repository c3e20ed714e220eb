/** Outgoing messages, one-time codes, and the events that limit both. */
import * as z from 'zod';
import { foldIdentifier } from '../../../lib/fold-identifier.ts';
import { defineTable, epoch, instant, secret, text } from './define-table.ts';

/** An outgoing message: the outbox is part of the store. */
export const MessageRow = z
  .strictObject({
    messageId: text,
    to: text,
    channel: z.enum(['email', 'sms']),
    purpose: text,
    /** The text, with `{code}` as placeholder for the code. */
    text: secret,
    /** The code, encrypted with the key of the store. */
    sealedCode: secret.optional(),
    codeId: text.optional(),
    /** The id of the valid code that this message's code replaced. */
    voids: text.optional(),
    /** Whether the code was used. */
    used: z.literal(true).optional(),
    createdAt: instant,
    expiresAt: instant.optional(),
    /** The delivery state; absent if messages stay in the outbox. `late`: not yet visible. `decoy`: has no recipient. */
    delivery: z.enum(['waiting', 'sent', 'failed', 'late', 'decoy']).optional(),
    /** The server that sends it, and until when no other one does (epoch milliseconds). */
    claim: z.strictObject({ by: text, until: z.number() }).optional(),
    /** When a late message becomes visible. */
    arrivesAt: instant.optional(),
    /** For a collapsed notice: the number of notices that it combines. */
    collapsed: z.int().optional(),
    /** Why delivery failed. */
    failure: text.optional(),
  })
  .readonly();

export type Message = z.infer<typeof MessageRow>;

export const messageTable = defineTable(MessageRow, (row) => row.messageId, {
  unique: {},
  index: { to: (row) => foldIdentifier(row.to), delivery: (row) => row.delivery, voids: (row) => row.voids },
});

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
    /** Whether a second factor was completed from the source. */
    knownByMfa: z.literal(true).optional(),
    /** Orders codes of the same second. */
    sequence: z.int(),
    codeHash: secret,
    /** The messages with the code. */
    messageIds: z.array(text).readonly().optional(),
    used: z.boolean(),
    createdAt: epoch,
    expiresAt: epoch,
  })
  .readonly();

export type Otp = z.infer<typeof OtpRow>;

/** Events of the window, oldest first, with the digest of their source. Events of one row and time may be counted together. */
const sourceEvents = z
  .array(z.strictObject({ source: text, at: epoch, count: z.int().optional() }).readonly())
  .readonly();

/** Failed codes of one subject for one purpose, or of one source. */
export const OtpAttemptsRow = z.strictObject({ name: text, events: sourceEvents }).readonly();

/** Codes sent to a contact or requested for a name. The window is an hour if it is absent. */
export const OtpRateLimitRow = z
  .strictObject({ contact: text, events: sourceEvents, windowSeconds: z.int().optional() })
  .readonly();

export const otpTable = defineTable(OtpRow, (row) => row.codeId, {
  unique: {},
  index: { subject: (row) => row.subject },
});

export const otpAttemptsTable = defineTable(OtpAttemptsRow, (row) => row.name, { unique: {}, index: {} });

export const otpRateLimitTable = defineTable(OtpRateLimitRow, (row) => row.contact, { unique: {}, index: {} });

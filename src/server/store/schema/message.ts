/** Outgoing messages. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { instant, secret, text } from './fields.ts';
import { foldIdentifier } from './user.ts';

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

/** What a store needs for itself: signing keys, secrets and counters. */
import * as z from 'zod';
import { sensitive } from '../../../contract/sensitive.ts';
import { defineTable, instant, secret, text } from './define-table.ts';

export const SigningKeyRow = z
  .strictObject({
    kid: text,
    alg: text,
    /** Absent for a key of access tokens. */
    purpose: z.literal('id-token').optional(),
    current: z.boolean(),
    privateJwk: sensitive(z.record(z.string(), z.unknown()), 'secret'),
    publicJwk: z.record(z.string(), z.unknown()),
    createdAt: instant,
    /** The maximum lifetime, in seconds, of the tokens signed with it. */
    longestToken: z.number(),
    /** For a key that is published but does not sign yet: from when on it signs (epoch seconds). */
    signsFrom: z.number().optional(),
    /** For a retired key: when its last token expires (epoch seconds). */
    retiresAt: z.number().optional(),
  })
  .readonly();

export type SigningKey = z.infer<typeof SigningKeyRow>;

export const signingKeyTable = defineTable(SigningKeyRow, (row) => row.kid, { unique: {}, index: {} });

/** Random secrets of this store, such as the key of its digests. */
export const StoreSecretRow = z.strictObject({ name: text, value: secret }).readonly();

export const storeSecretTable = defineTable(StoreSecretRow, (row) => row.name, { unique: {}, index: {} });

/** Sequential counters. */
export const CounterRow = z.strictObject({ name: text, last: z.int() }).readonly();

export const counterTable = defineTable(CounterRow, (row) => row.name, { unique: {}, index: {} });

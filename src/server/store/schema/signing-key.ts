/** The keys that sign tokens. */
import * as z from 'zod';
import { sensitive } from '../../../contract/sensitive.ts';
import { defineTable } from './define-table.ts';
import { instant, text } from './fields.ts';

export const SigningKeyRow = z
  .strictObject({
    kid: text,
    alg: text,
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

/** The subjects of tokens. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { text } from './fields.ts';

/** A `sub` of tokens, reserved permanently: a removed one is never reused. */
export const SubjectRow = z
  .strictObject({ subject: text, kind: z.enum(['user', 'client', 'service']), ownerId: text, retired: z.boolean() })
  .readonly();

export const subjectTable = defineTable(SubjectRow, (row) => row.subject, { unique: {}, index: {} });

/** Logons of the embedded mainframe. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { Phone, secret, text } from './fields.ts';

/** A logon of the embedded mainframe. */
export const LogonRow = z
  .strictObject({
    logon: text,
    passwordHash: secret.optional(),
    email: text.optional(),
    mobile: Phone.optional(),
  })
  .readonly();

export type Logon = z.infer<typeof LogonRow>;

export const logonTable = defineTable(LogonRow, (row) => row.logon, { unique: {}, index: {} });

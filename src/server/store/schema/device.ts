/** Devices of users. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { instant, secret, text } from './fields.ts';

/** A device of a user. Its token is stored as a hash. */
export const DeviceRow = z
  .strictObject({
    deviceKey: text,
    userId: text,
    deviceId: text,
    deviceVersion: z.enum(['V1', 'V2']).optional(),
    deviceName: text.optional(),
    tokenHash: secret,
    createdAt: instant,
  })
  .readonly();

export type Device = z.infer<typeof DeviceRow>;

export const deviceTable = defineTable(DeviceRow, (row) => row.deviceKey, {
  unique: { tokenHash: (row) => row.tokenHash },
  index: { userId: (row) => row.userId },
});

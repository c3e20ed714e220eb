/** Field types that several tables use. */
import * as z from 'zod';

export const text = z.string();
export const names = z.array(z.string()).readonly();
export const instant = z.string().describe('ISO 8601, UTC');
export const epoch = z.number().describe('Epoch seconds');

export const Phone = z
  .strictObject({ regionCode: z.number(), areaCode: z.number(), phoneNumber: z.number() })
  .readonly();

/** Field types that several tables use. */
import * as z from 'zod';
import { sensitive } from '../../../contract/sensitive.ts';

export const text = z.string();
/** A credential, its hash or id, or a text that can contain one. */
export const secret = sensitive(text, 'secret');
export const names = z.array(z.string()).readonly();
export const instant = z.string().describe('ISO 8601, UTC');
export const epoch = z.number().describe('Epoch seconds');

export const Phone = z
  .strictObject({ regionCode: z.number(), areaCode: z.number(), phoneNumber: z.number() })
  .readonly();

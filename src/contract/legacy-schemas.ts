/** Schemas for the mainframe and the product system. */
import * as z from 'zod';
import { sensitive } from './sensitive.ts';

export const LogonName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9@#$]{0,7}$/,
    'must be 1 to 8 letters, digits or @ # $, starting with a letter; lower case counts as upper case',
  )
  .meta({
    description: 'Mainframe logon: 1 to 8 letters, digits or @ # $, starting with a letter',
    'x-label': 'Mainframe logon',
  });

/** A code as entered. Any text up to the maximum length is accepted and verified. */
export const LegacyOtpCode = sensitive(
  z
    .string()
    .max(100, 'must not be longer than 100 characters')
    .meta({ description: 'One-time code, six digits', 'x-label': 'One-time code' }),
  'secret',
);

/** The id of a code transaction. */
export const TransactionId = sensitive(z.string().max(100, 'must not be longer than 100 characters'), 'one-time');

export const MaskedRecipient = z.string().describe('Recipient of the code, masked');
export const OtpLifetime = z.string().regex(/^\d+$/).describe('Lifetime of the code in seconds, as a string of digits');

export const BillingType = z.enum(['EXPEND', 'PREPAID', 'SUBSCRIPTION']).describe('Billing type of the product');

export const ProductAlias = z
  .string()
  .min(1, 'must not be empty')
  .max(200, 'must not be longer than 200 characters')
  .describe('Name of a product, unique together with its sku');

export const Sku = z
  .string()
  .min(1, 'must not be empty')
  .max(200, 'must not be longer than 200 characters')
  .meta({ description: 'Stock keeping unit of the product', 'x-label': 'Stock keeping unit' });

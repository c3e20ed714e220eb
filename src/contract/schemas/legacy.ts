/** Schemas of mainframe logons and their codes. */

import * as z from 'zod';
import { sensitive } from '../sensitive.ts';
import { exampleText, textUpTo } from './primitives.ts';

export const LogonName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9@#$]{0,7}$/,
    'must be 1 to 8 letters, digits or @ # $, starting with a letter; lower case counts as upper case',
  )
  .meta({
    description: 'Mainframe logon: 1 to 8 letters, digits or @ # $, starting with a letter',
    'x-label': 'Mainframe logon',
    examples: ['ALICE01'],
  });

/** A code as entered. Any text up to the maximum length is accepted and verified. */
export const LegacyOtpCode = sensitive(
  textUpTo(100).meta({ description: 'One-time code, six digits', 'x-label': 'One-time code', examples: ['493817'] }),
  'secret',
);

/** The id of a code transaction. */
export const TransactionId = sensitive(textUpTo(100).meta({ examples: ['64b0c0ffee00000000000007'] }), 'one-time');

export const MaskedRecipient = exampleText('a***@example.com', 'Recipient of the code, masked');

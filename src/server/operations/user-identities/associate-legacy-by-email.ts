import * as z from 'zod';
import { LogonName, MaskedRecipient } from '../../../contract/schemas/legacy.ts';
import { OtpLifetime } from '../../../contract/schemas/otp.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { type AssociationChannel, startAssociation } from '../../legacy/logon-association.ts';
import { emailContact } from '../../messaging/contacts.ts';
import { defineOperation } from '../define.ts';

export const Association = z
  .strictObject({
    challengeId: sensitive(z.string(), 'one-time').meta({
      description: 'Id of the transaction, for its completion',
      examples: ['64b0c0ffee00000000000007'],
    }),
    contact: MaskedRecipient,
    expiresIn: OtpLifetime,
  })
  .meta({ id: 'LogonAssociation', description: 'A code sent for binding a logon.' });

export const LogonReference = z.strictObject({ logon: LogonName }).meta({ id: 'LogonReference' });

const byEmail: AssociationChannel = {
  channel: 'email',
  contactOf: ({ email }) => (email === undefined ? undefined : emailContact(email)),
};

export default defineOperation({
  id: 'user-identities.associate-legacy-by-email',
  title: 'Associate a mainframe logon by e-mail',
  description:
    'Sends a code to the e-mail address that the mainframe has for the logon. The code binds the logon to the calling user. The response is the same for a logon that does not exist, has no such contact or already belongs to a user. A user receives at most 20 codes for logons and unverified contacts a day, except on loopback.',
  method: 'POST',
  path: '/user-identities/me/legacy-logons/email',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  needsWholeToken: true,
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 403, 429, 500, 503],
  request: { body: LogonReference },
  response: { status: 201, body: Association },
  identifies: ['logon'],
  errors: ['USER_MISSING', 'MFA_MISSING', 'TOO_MANY_CODES', 'MAINFRAME_UNAVAILABLE'],

  handle: ({ body }, context) => startAssociation(body.logon, byEmail, context),
});

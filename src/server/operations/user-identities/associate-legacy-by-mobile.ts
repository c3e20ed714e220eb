import { type AssociationChannel, startAssociation } from '../../legacy/logon-association.ts';
import { mobileContact } from '../../messaging/contacts.ts';
import { defineOperation } from '../define.ts';
import { Association, LogonReference } from './associate-legacy-by-email.ts';

const byMobile: AssociationChannel = {
  channel: 'sms',
  contactOf: ({ mobile }) => (mobile === undefined ? undefined : mobileContact(mobile)),
};

export default defineOperation({
  id: 'user-identities.associate-legacy-by-mobile',
  title: 'Associate a mainframe logon by mobile',
  description:
    'Sends a code to the mobile number that the mainframe has for the logon. The code binds the logon to the calling user. The response is the same for a logon that does not exist, has no such contact or already belongs to a user. A user receives at most 20 codes for logons and unverified contacts a day, except on loopback.',
  method: 'POST',
  path: '/user-identities/me/legacy-logons/mobile',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  needsWholeToken: true,
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 403, 429, 500, 503],
  request: { body: LogonReference },
  response: { status: 201, body: Association },
  identifies: ['logon'],
  errors: ['USER_MISSING', 'MFA_MISSING', 'TOO_MANY_CODES', 'MAINFRAME_UNAVAILABLE'],

  handle: ({ body }, context) => startAssociation(body.logon, byMobile, context),
});

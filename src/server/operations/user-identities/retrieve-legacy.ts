import * as z from 'zod';
import { ClientId } from '../../../contract/schemas/client.ts';
import { LogonName, MaskedRecipient } from '../../../contract/schemas/legacy.ts';
import { DeviceTokenId, OtpLifetime } from '../../../contract/schemas/otp.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import {
  findLogonOwner,
  maskLogonContact,
  normalizeLogon,
  selectRecoveryContact,
} from '../../legacy/mainframe-logons.ts';
import type { Contact } from '../../messaging/contacts.ts';
import { type OtpTransaction, sendOtp, subjectOfLogon } from '../../mfa/otp.ts';
import { createDecoyContacts } from '../../mfa/otp-decoys.ts';
import { consumeOtpRateLimit } from '../../mfa/otp-rate-limit.ts';
import { resolveOtpSource } from '../../mfa/otp-source.ts';
import type { OperationContext } from '../../request-context.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.retrieve-legacy',
  title: 'Start recovery of a mainframe logon',
  description:
    'Sends a code for reset-legacy-password to the mobile number that the mainframe has for the logon, otherwise to its e-mail address. The response is the same for a logon that does not exist, has no contact, or belongs to a locked user. The limits per source and in total are those of retrieve-identity, per logon.',
  method: 'POST',
  path: '/user-identities/retrieve-legacy-identity',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 429, 500, 503],
  request: {
    query: { clientId: ClientId.optional().describe('Id of the calling client') },
    body: z
      .strictObject({ logon: LogonName, deviceTokenId: DeviceTokenId.optional() })
      .meta({ id: 'LogonRecoveryInput' }),
  },
  response: {
    status: 201,
    body: z
      .strictObject({
        hash: sensitive(z.string(), 'one-time').meta({
          description: 'Id of the transaction, for reset-legacy-password',
          examples: ['cmVzZXQtaGFzaA'],
        }),
        contact: MaskedRecipient,
        expiresIn: OtpLifetime,
      })
      .meta({ id: 'LogonRecovery', description: 'A code sent for resetting a mainframe password.' }),
    // The hash is required together with the code, so it is a credential.
    secret: true,
  },
  identifies: ['logon'],
  errors: ['TOO_MANY_CODES', 'MAINFRAME_UNAVAILABLE'],

  async handle({ body }, context) {
    const logon = normalizeLogon(body.logon);
    const known = await context.mainframe.find(logon);
    const contact = known && selectRecoveryContact(known);
    const { codeId, expiresIn } = await sendRecoveryCode(
      { logon, contact, deviceTokenId: body.deviceTokenId },
      context,
    );
    return { hash: codeId, contact: maskLogonContact(contact, logon, context.storeSecret), expiresIn };
  },
});

interface LogonRecovery {
  readonly logon: string;
  readonly contact: Contact | undefined;
  readonly deviceTokenId: string | undefined;
}

/** Without a contact, does the same work and returns the same response, but sends no code. */
async function sendRecoveryCode(
  { logon, contact, deviceTokenId }: LogonRecovery,
  context: OperationContext,
): Promise<OtpTransaction> {
  const sent = await context.store.transaction(async (tx) => {
    const owner = await findLogonOwner(tx, logon);
    const source = await resolveOtpSource(tx, owner, deviceTokenId, context);
    await consumeOtpRateLimit(tx, `logon:${logon}`, context, { source });
    const holder = { purpose: 'legacy-recovery', subject: subjectOfLogon(logon) } as const;
    const reached = contact && !owner?.locked ? { contacts: [contact], about: logon } : { contacts: [] };
    const decoys = createDecoyContacts(context.storeSecret.digest('recovery', logon), 1);
    return sendOtp(tx, { ...holder, ...reached, decoys, source, quiet: true }, context);
  });
  context.outbox.wake();
  return sent;
}

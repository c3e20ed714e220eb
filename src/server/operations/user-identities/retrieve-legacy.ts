import * as z from 'zod';
import { CodeLifetime, LogonName, SentMask } from '../../../contract/legacy-schemas.ts';
import { Id } from '../../../contract/schemas.ts';
import { type SentCode, sendCode, subjectOfLogon } from '../../identity/codes.ts';
import type { Contact } from '../../identity/contacts.ts';
import { foldLogon, maskedContact, ownerOfLogon, recoveryContact } from '../../identity/logons.ts';
import { countSending } from '../../identity/sendings.ts';
import { defineOperation, type OperationContext } from '../define.ts';

export default defineOperation({
  id: 'user-identities.retrieve-legacy',
  title: 'Retrieve a legacy identity',
  description:
    'Sends a code for reset-legacy-password to the mobile that the mainframe holds for the logon, else to its e-mail. A logon that is not there, has neither, or belongs to a locked user is answered alike.',
  method: 'POST',
  path: '/user-identities/retrieve-legacy-identity',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  status: [201, 400, 401, 429, 500, 503],
  request: {
    query: { clientId: Id.optional().describe('The calling client') },
    body: z.strictObject({ logon: LogonName }).meta({ id: 'LogonRecoveryInput' }),
  },
  response: {
    status: 201,
    body: z
      .strictObject({
        hash: z.string().describe('Names the transaction, for reset-legacy-password'),
        contact: SentMask,
        expiresIn: CodeLifetime,
      })
      .meta({ id: 'LogonRecovery', description: 'A code that was sent to set a mainframe password anew.' }),
    // The hash is a half of the proof.
    secret: true,
  },
  errors: ['TOO_MANY_CODES', 'MAINFRAME_UNAVAILABLE'],

  async handle({ body }, context) {
    const logon = foldLogon(body.logon);
    const known = await context.mainframe.find(logon);
    const contact = known && recoveryContact(known);
    const { codeId, expiresIn } = await sendRecovery(logon, contact, context);
    return { hash: codeId, contact: maskedContact(contact, logon, context.storeKey), expiresIn };
  },
});

/** Where nothing can be sent, a code is made all the same, so that what follows is the same; it goes nowhere. */
async function sendRecovery(logon: string, contact: Contact | undefined, context: OperationContext): Promise<SentCode> {
  const sent = await context.store.transaction(async (tx) => {
    await countSending(tx, `logon:${logon}`, context);
    const locked = (await ownerOfLogon(tx, logon))?.locked ?? false;
    const holder = { purpose: 'legacy-recovery', subject: subjectOfLogon(logon) } as const;
    if (!contact || locked) return sendCode(tx, holder, [], context);
    return sendCode(tx, holder, [contact], context, { quiet: true, about: logon });
  });
  context.outbox.kept();
  return sent;
}

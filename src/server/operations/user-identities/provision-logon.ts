import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { LogonName } from '../../../contract/schemas/legacy.ts';
import { exampleText } from '../../../contract/schemas/primitives.ts';
import { LoginPassword, UserId } from '../../../contract/schemas/user.ts';
import { assertMfaForAdministrator } from '../../directory/object-access.ts';
import { assertMainframePassword, bindLogon, findLogonOwner, normalizeLogon } from '../../legacy/mainframe-logons.ts';
import type { OperationContext } from '../../request-context.ts';
import { OutcomeUnknownError } from '../../store/store.ts';
import type { User } from '../../store/tables.ts';
import { requireUser } from '../../users/users.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.provision-logon',
  title: 'Create a mainframe logon for a user',
  description:
    'Creates the logon in the mainframe, with the verified contacts of the user, and binds it to the user. Without a password, the logon cannot be used before a password reset. If binding fails, the logon is deleted again. After a crash in between, the user can still bind the logon with a code sent to their own contacts.',
  method: 'POST',
  path: '/user-identities/{id}/legacy-logons',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['id'] } },
  status: [201, 400, 401, 403, 404, 412, 422, 500, 503],
  request: {
    params: { id: UserId },
    body: z
      .strictObject({
        logon: LogonName,
        password: LoginPassword.optional().describe('Must match the setting mainframe-password-rule'),
      })
      .meta({ id: 'LogonInput' }),
  },
  response: {
    status: 201,
    body: z
      .strictObject({ logon: exampleText('ALICE01') })
      .meta({ id: 'ProvisionedLogon', description: 'A mainframe logon.' }),
  },
  errors: [
    'USER_NOT_FOUND',
    'MFA_MISSING',
    'LOGON_TAKEN',
    'PASSWORD_NOT_FOR_MAINFRAME',
    'TOO_BUSY',
    'MAINFRAME_UNAVAILABLE',
  ],
  command: 'users provision-logon',
  cliExamples: [{ title: 'With an initial password', command: 'alice --logon SMITH01 --password-file first-password' }],

  async handle({ params, body: { logon: requested, password } }, context) {
    const logon = normalizeLogon(requested);
    const user = await getProvisionableUser(params.id, logon, context);
    if (password !== undefined) assertMainframePassword(password, context.settings);
    const created = await context.mainframe.create({ logon, password, ...verifiedContacts(user) }, context.hashFlow);
    if (!created) throw apiError('LOGON_TAKEN');
    await bindOrRollBack(params.id, logon, context);
    return { logon };
  },
});

async function getProvisionableUser(
  userId: string,
  logon: string,
  { store, mainframe, caller }: OperationContext,
): Promise<User> {
  const user = await requireUser(store, userId);
  await assertMfaForAdministrator(store, user, caller);
  if ((await findLogonOwner(store, logon)) || (await mainframe.find(logon))) throw apiError('LOGON_TAKEN');
  return user;
}

/** Only verified contacts receive codes for the logon. */
function verifiedContacts({ userEmail, emailVerified, userMobile, mobileVerified }: User) {
  return { email: emailVerified ? userEmail : undefined, mobile: mobileVerified ? userMobile : undefined };
}

async function bindOrRollBack(
  userId: string,
  logon: string,
  { store, mainframe, caller }: OperationContext,
): Promise<void> {
  try {
    await store.transaction(async (tx) => {
      const user = await requireUser(tx, userId);
      await assertMfaForAdministrator(tx, user, caller);
      await bindLogon(tx, user, logon);
    });
  } catch (error) {
    await mainframe.remove(logon).catch((cause: unknown) => {
      throw new OutcomeUnknownError('The logon was created, and could not be removed after a failure.', { cause });
    });
    throw error;
  }
}

import { FactorId } from '../../../../contract/schemas/factor.ts';
import { removeFactor } from '../../../mfa/factor-changes.ts';
import { requireChangeableFactor } from '../../../mfa/factors.ts';
import { revalidateUserCaller } from '../../../sessions/revalidate-caller.ts';
import { defineOperation } from '../../define.ts';

export default defineOperation({
  id: 'user-identities.factors.remove',
  title: 'Remove a contact of the caller',
  description:
    'Removes an alternative contact of the calling user. Codes sent to it are revoked, and a notice is sent to it. Main contacts cannot be removed here.',
  method: 'DELETE',
  path: '/user-identities/me/authentication-factors/{id}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and USER',
  needsWholeToken: true,
  audit: { kind: 'administration', targets: { path: ['id'] } },
  status: [204, 401, 403, 404, 412, 500],
  request: { params: { id: FactorId } },
  response: { status: 204 },
  errors: ['USER_MISSING', 'FACTOR_NOT_FOUND', 'MAIN_CONTACT'],
  command: 'factors remove',
  cliExamples: [{ title: 'One contact', command: 'FACTOR_ID' }],

  async handle({ params }, context) {
    const { store, caller } = context;
    await store.transaction(async (tx) => {
      const { user } = await revalidateUserCaller(tx, caller, context.clock);
      await removeFactor(tx, await requireChangeableFactor(tx, user, params.id));
    });
  },
});

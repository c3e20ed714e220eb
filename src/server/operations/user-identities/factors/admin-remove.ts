import { FactorIdOfUser } from '../../../../contract/schemas/factor.ts';
import { UserId } from '../../../../contract/schemas/user.ts';
import { assertMfaForAdministrator } from '../../../directory/object-access.ts';
import { removeFactor } from '../../../mfa/factor-changes.ts';
import { requireAlternativeFactor } from '../../../mfa/factors.ts';
import { requireUser } from '../../../users/users.ts';
import { defineOperation } from '../../define.ts';

export default defineOperation({
  id: 'user-identities.factors.admin-remove',
  title: 'Remove a contact of a user',
  description:
    'Removes an alternative contact of a user. Codes sent to it are revoked, and a notice is sent to it. Main contacts cannot be removed here.',
  method: 'DELETE',
  path: '/user-identities/{id}/authentication-factors/{factorId}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['id', 'factorId'] } },
  status: [204, 401, 403, 404, 500],
  request: { params: { id: UserId, factorId: FactorIdOfUser } },
  response: { status: 204 },
  errors: ['USER_NOT_FOUND', 'MFA_MISSING', 'FACTOR_NOT_FOUND'],
  command: 'users factors remove',
  cliExamples: [{ title: 'One contact', command: 'alice FACTOR_ID' }],

  async handle({ params }, context) {
    const { store, caller } = context;
    await store.transaction(async (tx) => {
      const user = await requireUser(tx, params.id);
      await assertMfaForAdministrator(tx, user, caller);
      await removeFactor(tx, await requireAlternativeFactor(tx, user, params.factorId));
    });
  },
});

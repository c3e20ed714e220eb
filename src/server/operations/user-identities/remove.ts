import { UserId } from '../../../contract/schemas/user.ts';
import { removeUser } from '../../auth/remove-user.ts';
import { withAdministratorCheck } from '../../directory/administrators.ts';
import { assertMfaForAdministrator } from '../../directory/object-access.ts';
import { requireUser } from '../../users/users.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.remove',
  title: 'Delete a user',
  description:
    'Deletes a user with its memberships and sessions. The id is never reused. The last administrator cannot be deleted.',
  method: 'DELETE',
  path: '/user-identities/{id}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['id'] } },
  status: [204, 401, 403, 404, 412, 500],
  request: { params: { id: UserId } },
  response: { status: 204 },
  errors: ['USER_NOT_FOUND', 'MFA_MISSING', 'LAST_ADMINISTRATOR'],
  command: 'users delete',
  cliExamples: [{ title: 'Without confirmation', command: 'alice --yes' }],

  async handle({ params }, { store, caller, issuer }) {
    await store.transaction(async (tx) => {
      const user = await requireUser(tx, params.id);
      await assertMfaForAdministrator(tx, user, caller);
      await withAdministratorCheck(tx, issuer, () => removeUser(tx, user));
    });
  },
});

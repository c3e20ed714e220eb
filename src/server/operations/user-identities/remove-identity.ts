import { apiError } from '../../../contract/errors.ts';
import { singleLine } from '../../../contract/schemas/primitives.ts';
import { UserId } from '../../../contract/schemas/user.ts';
import { foldIdentifier } from '../../../lib/fold-identifier.ts';
import { assertMfaForAdministrator } from '../../directory/object-access.ts';
import { requireUser } from '../../users/users.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.remove-identity',
  title: 'Remove a login identifier from a user',
  description: 'Removes one login identifier from the user. The user name cannot be removed.',
  method: 'DELETE',
  path: '/user-identities/{id}/identities/{identity}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['id', 'identity'] } },
  status: [204, 401, 403, 404, 412, 500],
  request: {
    params: {
      id: UserId,
      identity: singleLine(200, 'Login identifier').meta({
        'x-label': 'Login identifier',
        examples: ['alice@example.com'],
      }),
    },
  },
  response: { status: 204 },
  errors: ['USER_NOT_FOUND', 'IDENTITY_NOT_FOUND', 'MFA_MISSING', 'LAST_IDENTITY'],
  command: 'users remove-identity',
  destructive: false,
  cliExamples: [{ title: 'Remove one login name', command: 'alice alice.smith' }],

  async handle({ params }, { store, caller }) {
    const removed = foldIdentifier(params.identity);
    await store.transaction(async (tx) => {
      const user = await requireUser(tx, params.id);
      await assertMfaForAdministrator(tx, user, caller);
      if (removed === foldIdentifier(user.userName)) throw apiError('LAST_IDENTITY');
      const identities = user.identities.filter((identity) => foldIdentifier(identity) !== removed);
      if (identities.length === user.identities.length) throw apiError('IDENTITY_NOT_FOUND');
      await tx.users.replace({ ...user, identities });
    });
  },
});

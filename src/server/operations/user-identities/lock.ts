import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { Empty, singleLine } from '../../../contract/schemas/primitives.ts';
import { UserId } from '../../../contract/schemas/user.ts';
import { revokeUserAccess } from '../../auth/revoke-user-access.ts';
import { withAdministratorCheck } from '../../directory/administrators.ts';
import { assertMfaForAdministrator } from '../../directory/object-access.ts';
import type { Transaction } from '../../store/store.ts';
import type { User } from '../../store/tables.ts';
import { requireUser } from '../../users/users.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.lock',
  title: 'Lock a user',
  description:
    'Locks the user. All requests of the user are rejected from the next one on, and its sessions are revoked.',
  method: 'POST',
  path: '/user-identities/lock',
  auth: 'caller',
  roles:
    'CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE or CLI-1STPARTY and CLI-AUTH-BASIC and scope account_lock',
  audit: { kind: 'administration', targets: { body: ['userId'] } },
  status: [200, 400, 401, 403, 404, 412, 500],
  request: {
    body: z
      .strictObject({
        userId: UserId,
        reason: singleLine(200, 'Reason, stored with the lock')
          .optional()
          .meta({ examples: ['Left the company'] }),
      })
      .meta({ id: 'LockInput' }),
  },
  response: { status: 200, body: Empty },
  errors: ['USER_NOT_FOUND', 'MFA_MISSING', 'LOCK_OF_SELF', 'LAST_ADMINISTRATOR'],
  destructive: true,
  command: 'users lock',
  cliExamples: [{ title: 'With a reason', command: 'alice --reason "left the company"' }],

  async handle({ body }, { store, caller, issuer }) {
    await store.transaction(async (tx) => {
      const user = await requireUser(tx, body.userId);
      await assertMfaForAdministrator(tx, user, caller);
      if (caller.user?.userId === user.userId) throw apiError('LOCK_OF_SELF');
      await withAdministratorCheck(tx, issuer, () => lockUser(tx, user, body.reason));
    });
    return {};
  },
});

async function lockUser(tx: Transaction, user: User, lockReason: string | undefined): Promise<void> {
  await tx.users.replace({ ...user, locked: true, ...(lockReason === undefined ? {} : { lockReason }) });
  await revokeUserAccess(tx, user.userId);
}

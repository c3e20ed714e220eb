import * as z from 'zod';
import { Empty } from '../../../contract/schemas/primitives.ts';
import { UserId } from '../../../contract/schemas/user.ts';
import { assertMfaForAdministrator } from '../../directory/object-access.ts';
import { requireUser } from '../../users/users.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'user-identities.unlock',
  title: 'Unlock a user',
  description:
    'Removes a lock and clears the throttles of all login names of the user. Without a lock, nothing else changes.',
  method: 'POST',
  path: '/user-identities/unlock',
  auth: 'caller',
  roles:
    'CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE or CLI-1STPARTY and CLI-AUTH-BASIC and scope account_unlock',
  audit: { kind: 'administration', targets: { body: ['userId'] } },
  status: [200, 400, 401, 403, 404, 500],
  request: { body: z.strictObject({ userId: UserId }).meta({ id: 'UnlockInput' }) },
  response: { status: 200, body: Empty },
  errors: ['USER_NOT_FOUND', 'MFA_MISSING'],
  command: 'users unlock',
  cliExamples: [{ title: 'After a lock, or after too many failed logins', command: 'alice' }],

  async handle({ body }, { store, caller, authentication }) {
    const user = await store.transaction(async (tx) => {
      const found = await requireUser(tx, body.userId);
      await assertMfaForAdministrator(tx, found, caller);
      const { lockReason: _reason, ...rest } = found;
      if (found.locked) await tx.users.replace({ ...rest, locked: false });
      return found;
    });
    await authentication.throttles.clear(user);
    return {};
  },
});

import * as z from 'zod';
import { Mobile } from '../../../contract/schemas/contact.ts';
import { optionalText } from '../../../contract/schemas/primitives.ts';
import { UserId } from '../../../contract/schemas/user.ts';
import { assertUserReadable, requireUser } from '../../users/users.ts';
import { defineOperation } from '../define.ts';

export const UserView = z
  .strictObject({
    userEmail: optionalText('alice@example.com'),
    userMobile: Mobile.optional(),
    legacyLogons: z.array(z.string()).meta({ examples: [['ALICE01']] }),
  })
  .meta({ id: 'User', description: 'The contacts and mainframe logons of a user.' });

export default defineOperation({
  id: 'user-identities.get',
  title: 'Get the contacts and logons of a user',
  description:
    'Returns the contacts and mainframe logons of a user. Users without an administrative role can read only their own.',
  method: 'GET',
  path: '/user-identities/{id}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'read', targets: { path: ['id'] } },
  status: [200, 401, 404, 500],
  request: { params: { id: UserId } },
  response: { status: 200, body: UserView, entity: true },
  customCommand: 'users get',
  errors: ['USER_NOT_FOUND'],

  async handle({ params }, { store, caller }) {
    assertUserReadable(params.id, caller);
    return viewOfUser(await requireUser(store, params.id));
  },
});

/** The representation of a user, from which the ETag is computed. */
export function viewOfUser({ userEmail, userMobile, legacyLogons = [] }: Awaited<ReturnType<typeof requireUser>>) {
  return {
    ...(userEmail === undefined ? {} : { userEmail }),
    ...(userMobile === undefined ? {} : { userMobile }),
    legacyLogons: [...legacyLogons],
  };
}

import * as z from 'zod';
import { fieldError } from '../../../contract/errors.ts';
import { isReservedName, singleLine } from '../../../contract/schemas/primitives.ts';
import { UserId } from '../../../contract/schemas/user.ts';
import { foldIdentifier } from '../../../lib/fold-identifier.ts';
import { assertMfaForAdministrator } from '../../directory/object-access.ts';
import { loginNames } from '../../store/tables.ts';
import { assertLoginNamesAvailable, findIdentityProblem, normalizeIdentity, requireUser } from '../../users/users.ts';
import { defineOperation } from '../define.ts';

/** The identifier is the last segment of the path that removes it, so it must not be a reserved word. */
const Identity = singleLine(200, 'Login identifier')
  .meta({ 'x-label': 'Login identifier', examples: ['alice@example.com'] })
  .refine((value) => !isReservedName(value), 'is a reserved word');

export default defineOperation({
  id: 'user-identities.add-identity',
  title: 'Add a login identifier to a user',
  description:
    'Adds another identifier that the user can log in with. An existing identifier is left unchanged. A new one contains no invisible character and no space at its ends; one in the form of an e-mail address must be a valid address. One with a colon is the link to an external account, `<provider>:<subject>`, or a certificate, and is stored as sent.',
  method: 'PATCH',
  path: '/user-identities/{id}/identities',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['id'], body: ['identity'] } },
  status: [204, 400, 401, 403, 404, 412, 422, 500],
  request: {
    params: { id: UserId },
    body: z.strictObject({ identity: Identity }).meta({ id: 'IdentityInput' }),
  },
  response: { status: 204 },
  errors: ['NAME_NOT_VISIBLE', 'USER_NOT_FOUND', 'MFA_MISSING', 'LOGIN_NAME_TAKEN'],
  command: 'users add-identity',
  cliExamples: [{ title: 'A second login name', command: 'alice --identity alice.smith' }],

  async handle({ params, body }, { store, caller }) {
    await store.transaction(async (tx) => {
      const user = await requireUser(tx, params.id);
      await assertMfaForAdministrator(tx, user, caller);
      if (loginNames(user).includes(foldIdentifier(body.identity))) return;
      const problem = findIdentityProblem(body.identity);
      if (problem) throw fieldError(problem.code, 'identity', `identity ${problem.text}.`);
      const changed = { ...user, identities: [...user.identities, normalizeIdentity(body.identity)] };
      await assertLoginNamesAvailable(tx, changed, user);
      await tx.users.replace(changed);
    });
  },
});

import * as z from 'zod';
import { detailedError } from '../../../contract/errors.ts';
import { ScopeName } from '../../../contract/schemas/client.ts';
import { listUpTo } from '../../../contract/schemas/primitives.ts';
import { Token } from '../../../contract/schemas/token.ts';
import { readCallerContent, revalidateUserCaller } from '../../sessions/revalidate-caller.ts';
import { defineOperation } from '../define.ts';

const Body = z
  .strictObject({
    scope: listUpTo(100, ScopeName)
      .optional()
      .describe("Subset of the scope of the caller's token (default: the whole scope)"),
  })
  .meta({ id: 'AccessTokenInput' });

export default defineOperation({
  id: 'user-identities.access-token',
  title: 'Generate an access token with reduced scope',
  description:
    'Issues an access token with a subset of the scope of the calling token, for example to pass it to another service. The token belongs to the same session and cannot be exchanged for a wider scope.',
  method: 'POST',
  path: '/user-identities/me/access-token',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 403, 422, 500],
  request: { body: Body },
  response: { status: 201, body: Token, secret: true },
  errors: ['USER_MISSING', 'SCOPE_EXCEEDED', 'TOKEN_TOO_LONG'],

  async handle({ body }, { caller, clock, store, issuer }) {
    const current = await revalidateUserCaller(store, caller, clock);
    const scope = new Set(body.scope ?? caller.scope);
    const missingScopes = [...scope].filter((name) => !caller.scope.has(name));
    if (missingScopes.length > 0) throw detailedError('SCOPE_EXCEEDED', { missingScopes });
    // Also without less: what the client gains later is not for this token.
    const narrowed = body.scope === undefined ? caller.narrowed : [...(caller.narrowed ?? []), 'scope' as const];
    return issuer.issue(await readCallerContent({ store, issuer }, { ...caller, scope, narrowed }, current));
  },
});

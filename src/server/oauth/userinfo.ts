/** GET and POST /oauth2/userinfo */
import * as z from 'zod';
import { apiError } from '../../contract/errors.ts';
import { exampleText, optionalText } from '../../contract/schemas/primitives.ts';
import { createScopeClaims } from '../auth/id-token.ts';
import { requireUserCaller } from '../directory/principal.ts';
import { resolveGroupRolesOfUser } from '../directory/user-roles.ts';
import { epochSeconds } from '../lib/clock.ts';
import { defineOperation } from '../operations/define.ts';
import type { OperationContext } from '../request-context.ts';
import { narrowSession } from '../sessions/sessions.ts';

export const UserInfo = z
  .strictObject({
    sub: exampleText('alice'),
    name: optionalText('alice'),
    preferred_username: optionalText('alice'),
    email: optionalText('alice@example.com'),
    email_verified: z.boolean().optional(),
    phone_number: optionalText('+41445550100'),
    phone_number_verified: z.boolean().optional(),
    roles: z
      .array(z.string())
      .optional()
      .meta({ examples: [['USER']] }),
  })
  .meta({ id: 'UserInfo', description: 'Claims by the scopes of the token (OpenID Connect Core 1.0, 5.3.2).' });

const traits = {
  path: '/oauth2/userinfo',
  mount: 'base',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED',
  growthLimit: false,
  audit: { kind: 'read', targets: {} },
  status: [200, 400, 401, 403, 500],
  response: { status: 200, body: UserInfo },
  errors: ['ROLE_MISSING', 'USER_MISSING'],
  errorFormat: 'oauth',
} as const;

export const userinfo = defineOperation({
  ...traits,
  id: 'oauth2.userinfo',
  title: 'Get the claims of a user (OpenID Connect)',
  description: 'Returns what the scopes of an access token tell about its user. The token needs the scope openid.',
  method: 'GET',
  request: {},
  handle: (_input, context) => describeUser(context),
});

/** OpenID Connect Core 1.0, 5.3.1: both methods are required. */
export const userinfoByPost = defineOperation({
  ...traits,
  id: 'oauth2.userinfo-post',
  title: 'Get the claims of a user, with POST',
  description: 'The same as GET /oauth2/userinfo.',
  method: 'POST',
  request: { bodyIgnored: true },
  handle: (_input, context) => describeUser(context),
});

async function describeUser({ caller, store, clock }: OperationContext): Promise<z.input<typeof UserInfo>> {
  const { user, session: whole } = requireUserCaller(caller);
  const session = narrowSession(whole, caller.client, [...caller.scope]);
  if (!session.openid?.scopes.includes('openid'))
    throw apiError('ROLE_MISSING', 'The token has no scope openid.', {
      'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="openid"',
    });
  const groupRoles = await resolveGroupRolesOfUser(store, user);
  return { sub: user.userId, ...createScopeClaims({ user, session, groupRoles }, epochSeconds(clock)) };
}

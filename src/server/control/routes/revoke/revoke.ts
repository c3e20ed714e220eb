import * as z from 'zod';
import { sensitive } from '../../../../contract/sensitive.ts';
import { revokeToken } from '../../../auth/revoke-token.ts';
import { longestMaxToken } from '../../../config/settings-table.ts';
import { defineRoute } from '../../define.ts';

const Revocation = z.strictObject({
  token: sensitive(
    z.string().min(1, 'must not be empty').max(longestMaxToken, 'is too long').describe('Any token of this service'),
    'secret',
  ).meta({ examples: ['cmVmcmVzaC10b2tlbg'] }),
});

export default defineRoute({
  capability: 'public',
  id: 'control.revoke',
  title: 'Revoke a token',
  description:
    'Revokes an access or refresh token and its session; an access token without a session, or a product token, is revoked alone. Possession of the token is sufficient: no credentials are needed. The response is the same for an unknown or expired token (RFC 7009).',
  method: 'POST',
  path: '/revoke',
  audit: { kind: 'authentication', targets: {} },
  request: { body: Revocation },
  response: { status: 200, body: z.strictObject({}) },
  errors: [],

  async handle({ body: { token } }, context) {
    await revokeToken(token, context);
    return {};
  },
});

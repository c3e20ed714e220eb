/** POST /_iam/revoke */
import * as z from 'zod';
import { sensitive } from '../../../contract/sensitive.ts';
import { revokeToken } from '../../identity/revoke.ts';
import { defineRoute } from '../define.ts';

const Revocation = z.strictObject({
  token: sensitive(
    z.string().min(1, 'must not be empty').max(16_384, 'is too long').describe('Any token of this service'),
    'secret',
  ),
});

export default defineRoute({
  capability: 'public',
  id: 'control.revoke',
  title: 'Revokes a token',
  description:
    'An access or refresh token with the session that it belongs to; an access token without a session, and a product token, by itself. Whoever has a token may revoke it, so it is all that is asked for. A text that is no token, or none any more, is answered alike (RFC 7009).',
  method: 'POST',
  path: '/revoke',
  audit: { kind: 'authentication', targets: {} },
  status: [200, 400, 403, 500],
  request: { body: Revocation },
  response: { status: 200, body: z.strictObject({}) },
  errors: [],

  async handle({ body: { token } }, { store, clock, authentication: { verifier } }) {
    await revokeToken(token, { store, clock, verifier });
    return {};
  },
});

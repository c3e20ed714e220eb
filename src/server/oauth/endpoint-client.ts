/** The client that calls the revocation or introspection endpoint. */

import * as z from 'zod';
import { textUpTo } from '../../contract/schemas/primitives.ts';
import { sensitive } from '../../contract/sensitive.ts';
import {
  type AuthenticatedClient,
  authenticateTokenClient,
  withoutEmptyParameters,
} from '../auth/client-authentication.ts';
import { longestMaxToken } from '../config/settings-table.ts';
import type { OperationContext } from '../request-context.ts';
import { basicChallenge, createAuthenticationError } from '../tokens/authentication-error.ts';

const text = textUpTo(1000);

/** The parameters of both endpoints (RFC 7009, 2.1; RFC 7662, 2.1). Unknown ones are ignored. */
export const TokenParameters = {
  token: sensitive(z.string().min(1, 'must not be empty').max(longestMaxToken, 'is too long'), 'secret').meta({
    description: 'An access token or a refresh token',
    examples: ['cmVmcmVzaC10b2tlbg'],
  }),
  token_type_hint: text.optional().meta({ description: 'Ignored: the type is detected', examples: ['refresh_token'] }),
  client_id: text.optional().meta({ examples: ['billing-service'] }),
  client_secret: sensitive(text, 'secret').optional(),
};

/** Errors of `authenticateEndpointClient`. */
export const endpointClientErrors = [
  'CREDENTIALS_MISSING',
  'CREDENTIALS_INVALID',
  'CREDENTIALS_AMBIGUOUS',
  'TOKEN_INVALID',
  'TOO_MANY_ATTEMPTS',
] as const;

/** What the declarations of all endpoints share that a client sends a form to. */
export const endpointTraits = {
  method: 'POST',
  mount: 'base',
  auth: 'none',
  roles: 'none',
  audit: { kind: 'authentication', targets: {} },
  status: [200, 400, 401, 429, 500],
  errorFormat: 'oauth',
} as const;

interface ClientParameters {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
}

/**
 * Authenticates the client as the token endpoint does. A token of a logon does not authenticate its client.
 * @throws IamError CREDENTIALS_*, TOKEN_INVALID, TOO_MANY_ATTEMPTS.
 */
export async function authenticateEndpointClient(
  context: OperationContext,
  form: ClientParameters,
): Promise<AuthenticatedClient> {
  const { client_id: clientId, client_secret: clientSecret } = withoutEmptyParameters(form);
  const caller = await authenticateTokenClient(context, { clientId, clientSecret });
  const { authMethod, authenticated } = caller;
  if (!authenticated && authMethod !== 'client-id')
    throw createAuthenticationError('CREDENTIALS_INVALID', basicChallenge);
  return caller;
}

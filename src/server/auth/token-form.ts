/** The form and the response of the token endpoints (RFC 6749, 4 and 5). */
import * as z from 'zod';
import { apiError, fieldError } from '../../contract/errors.ts';
import type { OAuthGrantType } from '../../contract/grant-types.ts';
import { exampleText, textUpTo } from '../../contract/schemas/primitives.ts';
import { LoginPassword } from '../../contract/schemas/user.ts';
import { sensitive } from '../../contract/sensitive.ts';
import type { TokenIssuer } from '../tokens/issue.ts';
import { withoutEmptyParameters } from './client-authentication.ts';
import type { GrantedTokens, GrantRequest } from './grants.ts';

const text = textUpTo(1000);

/** The parameters of the grants of both endpoints. Unknown ones are ignored (RFC 6749, 3.2). */
export const tokenParameters = {
  grant_type: text.describe('client_credentials, password or refresh_token'),
  client_id: text.optional(),
  client_secret: sensitive(text, 'secret').optional(),
  scope: text.optional().describe('Scopes separated by spaces'),
  resource: z
    .union([text, z.array(text).max(20, 'must have at most 20 values')])
    .optional()
    .describe('Services that the token is for (RFC 8707), repeatable: the issuer, or audiences of the client'),
  refresh_token: sensitive(text, 'secret').optional(),
  username: text.optional(),
  password: LoginPassword.optional(),
};

/** Those of the grants authorization_code (RFC 6749, 4.1.3; RFC 7636, 4.5) and device_code (RFC 8628, 3.4). */
export const codeParameters = {
  device_code: sensitive(text, 'one-time').optional(),
  code: sensitive(text, 'one-time').optional(),
  redirect_uri: textUpTo(4000).optional().describe('The one of the authorization request'),
  code_verifier: sensitive(text, 'one-time').optional(),
};

export const tokenFields = {
  access_token: sensitive(z.string(), 'secret').meta({
    examples: ['eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl'],
  }),
  token_type: z.literal('Bearer'),
  expires_in: z.number().meta({ examples: [3600] }),
  refresh_token: sensitive(z.string(), 'secret')
    .optional()
    .meta({ examples: ['cmVmcmVzaC10b2tlbg'] }),
  scope: exampleText('reports.read'),
};

/** Errors of both endpoints. */
export const tokenErrors = [
  'CREDENTIALS_MISSING',
  'CREDENTIALS_INVALID',
  'CREDENTIALS_AMBIGUOUS',
  'TOKEN_INVALID',
  'GRANT_INVALID',
  'GRANT_TYPE_UNSUPPORTED',
  'GRANT_TYPE_NOT_ALLOWED',
  'SCOPE_EXCEEDED',
  'TARGET_INVALID',
  'TOO_MANY_ATTEMPTS',
  'TOO_BUSY',
  'TOKEN_TOO_LONG',
] as const;

type Parameters = typeof tokenParameters & Partial<typeof codeParameters>;
type TokenForm = { readonly [Name in keyof Parameters]?: z.output<NonNullable<Parameters[Name]>> };

/** Those of /oauth2/token besides. */
export const deviceErrors = [
  'DEVICE_PENDING',
  'DEVICE_POLLED_TOO_OFTEN',
  'DEVICE_CODE_EXPIRED',
  'LOGIN_REFUSED',
] as const;

/** @throws IamError FIELD_MISSING, GRANT_TYPE_UNSUPPORTED. */
export function parseGrantRequest(raw: TokenForm, supported: readonly OAuthGrantType[]): GrantRequest {
  const form = withoutEmptyParameters(raw);
  if (form.grant_type === undefined) throw fieldError('FIELD_MISSING', 'grant_type', 'grant_type is required.');
  const grantType = supported.find((name) => name === form.grant_type);
  if (!grantType) throw apiError('GRANT_TYPE_UNSUPPORTED');
  return {
    grantType,
    clientId: form.client_id,
    clientSecret: form.client_secret,
    userName: form.username,
    password: form.password,
    refreshToken: form.refresh_token,
    code: form.code,
    deviceCode: form.device_code,
    redirectUri: form.redirect_uri,
    codeVerifier: form.code_verifier,
    resources: form.resource?.length ? [form.resource].flat() : undefined,
    scope: form.scope === undefined || form.scope.trim() === '' ? undefined : form.scope.trim().split(/ +/),
  };
}

export function toOAuthToken(issuer: TokenIssuer, { token, idToken }: GrantedTokens) {
  return {
    access_token: token.accessToken,
    token_type: token.tokenType,
    expires_in: issuer.secondsLeft(token),
    ...(token.refreshToken === undefined ? {} : { refresh_token: token.refreshToken }),
    ...(idToken === undefined ? {} : { id_token: idToken }),
    scope: token.scope.join(' '),
  };
}

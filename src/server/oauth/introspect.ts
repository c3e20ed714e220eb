/** POST /oauth2/introspect */
import * as z from 'zod';
import { IamError } from '../../contract/errors.ts';
import { optionalText } from '../../contract/schemas/primitives.ts';
import { authenticate } from '../auth/authenticate.ts';
import type { AuthenticatedClient } from '../auth/client-authentication.ts';
import type { Principal } from '../directory/principal.ts';
import { logonSubjectPrefix } from '../directory/subject-ids.ts';
import { defineOperation } from '../operations/define.ts';
import type { OperationContext } from '../request-context.ts';
import { findActiveRefreshToken } from '../sessions/refresh-tokens.ts';
import type { Client, Session, User } from '../store/tables.ts';
import { basicChallenge, createAuthenticationError } from '../tokens/authentication-error.ts';
import { listScopes, toAuthorities } from '../tokens/claims.ts';
import {
  authenticateEndpointClient,
  endpointClientErrors,
  endpointTraits,
  TokenParameters,
} from './endpoint-client.ts';

const number = z.number().optional();

/** RFC 7662, 2.2, and the claims of access tokens. An inactive token has `active` only. */
const TokenState = z
  .strictObject({
    active: z.boolean().meta({ examples: [true] }),
    scope: optionalText('reports.read', 'Scopes separated by spaces, which are still granted'),
    client_id: optionalText('billing-service'),
    username: optionalText('alice@example.com', 'Name of the user; absent for a client'),
    token_type: z.literal('Bearer').optional().describe('Present for access tokens'),
    exp: number.meta({ examples: [1772370000] }),
    iat: number.meta({ examples: [1772366400] }),
    nbf: number.meta({ examples: [1772366400] }),
    sub: optionalText('billing-service'),
    aud: z
      .union([z.string(), z.array(z.string()).readonly()])
      .optional()
      .meta({ description: 'Text, or a list if there are several', examples: ['http://127.0.0.1:8080'] }),
    iss: optionalText('http://127.0.0.1:8080'),
    jti: optionalText('5f0c1d1e-9d0b-4d5a-8b5e-0a1b2c3d4e5f'),
    authorities: z
      .array(z.string())
      .optional()
      .meta({ description: 'Authorities of the token that are still granted', examples: [['ROLE_ADMIN']] }),
    app_id: optionalText('billing'),
    stand_in: z
      .boolean()
      .optional()
      .meta({ examples: [true] }),
    sid: optionalText('0b8f2f0e-2a8e-4b53-9c1b-0f5c6f1c2d3e'),
    narrowed: z
      .array(z.string())
      .readonly()
      .optional()
      .meta({ description: 'What the token has less of than its session', examples: [['scope']] }),
    user_id: optionalText('alice'),
    business_id: optionalText('acme'),
    customer_id: number.meta({ examples: [1001] }),
    service_id: optionalText('billing'),
    logon: optionalText('LOGON01'),
    organization_id: optionalText('org-1'),
    business_unit_id: optionalText('unit-1'),
  })
  .meta({ id: 'TokenState', description: 'Introspection response of RFC 7662, 2.2.' });

type TokenState = z.input<typeof TokenState>;

const inactive: TokenState = { active: false };

export default defineOperation({
  ...endpointTraits,
  id: 'oauth2.introspect',
  title: 'Introspect a token (OAuth 2.0)',
  description:
    'OAuth 2.0 token introspection (RFC 7662) for clients that authenticate with a secret, an API key or an access token of their own. A first-party client can introspect every access token, a third-party client those that were issued to it; a refresh token only the client that it was issued to. Every other token is `{"active": false}`. Scope and authorities are those that are still granted. Errors have the format of RFC 6749.',
  path: '/oauth2/introspect',
  growthLimit: false,
  request: {
    body: z.object(TokenParameters).meta({ id: 'IntrospectionForm' }),
    form: true,
    clientInBody: true,
  },
  response: { status: 200, body: TokenState },
  identifies: ['client_id', 'token'],
  errors: endpointClientErrors,
  openapiExamples: {
    body: { token: 'cmVmcmVzaC10b2tlbg', client_id: 'billing-service', client_secret: 'only-for-this-machine' },
  },

  async handle({ body }, context) {
    const caller = await authenticateEndpointClient(context, body);
    // RFC 7662, 2.1: prevents token scanning by anyone who knows the id of a client.
    if (!caller.authenticated) throw createAuthenticationError('CREDENTIALS_INVALID', basicChallenge);
    return (
      (await describeAccessToken(context, caller, body.token)) ??
      (await describeRefreshToken(context, caller, body.token)) ??
      inactive
    );
  },
});

/** The state of an access token; undefined if it is not an active one that the caller may introspect. */
async function describeAccessToken(
  { authentication, source }: OperationContext,
  { client }: AuthenticatedClient,
  token: string,
): Promise<TokenState | undefined> {
  const claims = await authentication.verifier.verifyForAnyAudience(token);
  const mayIntrospect = client.party === '1STPARTY' || claims?.client_id === client.clientId;
  if (!claims || !mayIntrospect) return undefined;
  const principal = await authenticateIfActive(() =>
    authenticate(authentication, { bearer: token }, { auth: 'caller', source, isAnyAudience: true }),
  );
  if (!principal) return undefined;
  return {
    ...claims,
    active: true,
    token_type: 'Bearer',
    ...toUsername(principal, [...principal.scope]),
    scope: [...principal.scope].join(' '),
    authorities: toAuthorities(principal.roles),
  };
}

/** Undefined if the token is rejected: revoked, or its session, user or client ended. */
async function authenticateIfActive(work: () => Promise<Principal | undefined>): Promise<Principal | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof IamError) return undefined;
    throw error;
  }
}

/** The state of a refresh token; undefined if it is not an active one of the caller. */
async function describeRefreshToken(
  { store, clock, issuerUrl }: OperationContext,
  { client }: AuthenticatedClient,
  token: string,
): Promise<TokenState | undefined> {
  const found = await findActiveRefreshToken(store, { token, clientId: client.clientId }, clock);
  if (!found) return undefined;
  const { session, issuedAt, expiresAt } = found;
  const user = await store.users.get(session.userId ?? '');
  const scope = listScopes(client, session.scope ?? client.scope, session.openid?.scopes);
  return {
    active: true,
    client_id: client.clientId,
    ...toUsername({ session, user }, scope),
    sub: subjectOf(session, client),
    scope: scope.join(' '),
    iat: issuedAt,
    exp: expiresAt,
    iss: issuerUrl,
  };
}

/** A third-party client gets the name only with the scope profile, to which the user agreed. */
function toUsername(
  { user, session }: { readonly user?: User | undefined; readonly session?: Session | undefined },
  scope: readonly string[],
): { readonly username?: string } {
  const isHidden = session?.openid?.isLimited && !scope.includes('profile');
  return user === undefined || isHidden ? {} : { username: user.userName };
}

function subjectOf({ userId, logon }: Session, client: Client): string {
  return userId ?? (logon === undefined ? client.clientId : `${logonSubjectPrefix}${logon}`);
}

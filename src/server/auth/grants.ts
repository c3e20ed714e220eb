/** The grants of the token endpoints (RFC 6749, 4.1, 4.3, 4.4 and 6), regardless of the parameter names of the endpoint. */
import { apiError, fieldError, IamError } from '../../contract/errors.ts';
import { type LoginGrantType, loginGrantTypes, type OAuthGrantType } from '../../contract/grant-types.ts';
import { explainLoginRefusal, takesPartInLogins } from '../directory/login-approval.ts';
import { derive } from '../lib/derive.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { toFlowKey } from '../limits/hash-queue.ts';
import { type RotationDeps, rotateRefreshToken } from '../sessions/refresh-tokens.ts';
import { narrowAudiences, narrowSession, startSession } from '../sessions/sessions.ts';
import type { Client, Session } from '../store/tables.ts';
import { basicChallenge, createAuthenticationError } from '../tokens/authentication-error.ts';
import { listAudiences } from '../tokens/claims.ts';
import { readClientContent, readSessionContent, type TokenContent } from '../tokens/content.ts';
import type { TokenResponse } from '../tokens/issue.ts';
import type { KeyRing } from '../tokens/keys.ts';
import {
  type AuthenticatedClient,
  authenticateTokenClient,
  type ClientAuthenticationDeps,
  type ClientAuthenticationRequest,
} from './client-authentication.ts';
import { exchangeCode } from './codes/authorization-codes.ts';
import { redeemDeviceCode } from './codes/device-codes.ts';
import { createIdTokenClaims } from './id-token.ts';
import { type LoginDeps, loginWithPassword } from './login.ts';

export interface GrantRequest extends ClientAuthenticationRequest {
  readonly grantType: OAuthGrantType;
  readonly userName?: string | undefined;
  readonly password?: string | undefined;
  readonly refreshToken?: string | undefined;
  readonly scope?: readonly string[] | undefined;
  /** The services that the token is for (RFC 8707). */
  readonly resources?: readonly string[] | undefined;
  readonly code?: string | undefined;
  readonly deviceCode?: string | undefined;
  readonly redirectUri?: string | undefined;
  readonly codeVerifier?: string | undefined;
}

export interface GrantedTokens {
  readonly token: TokenResponse;
  /** Of a session that a login with a browser started. */
  readonly idToken?: string | undefined;
}

export interface GrantDeps extends LoginDeps, ClientAuthenticationDeps {
  readonly issuerUrl: string;
  readonly keys: Pick<KeyRing, 'idTokenSigner'>;
  readonly settings: (LoginDeps & RotationDeps)['settings'];
  sourceBehindClient(client: Client): RequestSource;
  recordFlow(flow: string): void;
}

/**
 * @param clientsRenew whether a client that logs in for itself receives a refresh token too.
 * @throws IamError of `redeemDeviceCode`, CREDENTIALS_*, FIELD_MISSING, GRANT_INVALID, GRANT_TYPE_NOT_ALLOWED, SCOPE_EXCEEDED, TARGET_INVALID, TOO_MANY_ATTEMPTS, TOO_BUSY.
 */
export async function issueGrant(
  deps: GrantDeps,
  request: GrantRequest,
  { clientsRenew }: { clientsRenew: boolean },
): Promise<GrantedTokens> {
  const grantee = await authenticateTokenClient(deps, request);
  assertGrantAllowed(grantee, request);
  const known = listAudiences(grantee.client, deps.issuerUrl);
  if (request.resources?.some((name) => !known.includes(name))) throw apiError('TARGET_INVALID');
  if (request.grantType === 'client_credentials')
    return { token: await issueClientToken(deps, grantee.client, request, clientsRenew) };
  if (request.grantType === 'password') return { token: await issueUserToken(deps, grantee, request) };
  if (request.grantType === 'refresh_token') return issueTokens(deps, await renewSession(deps, grantee, request));
  const { client } = grantee;
  const { resources } = request;
  if (request.grantType !== 'authorization_code') {
    const code = requireField(request.deviceCode, 'device_code');
    return issueTokens(deps, await redeemDeviceCode(deps, client, { code, resources }));
  }
  const code = requireField(request.code, 'code');
  const { content, nonce } = await exchangeCode(deps, client, { ...request, code });
  return issueTokens(deps, content, nonce);
}

/** With an ID token if the session has the scope openid; a renewed one has no nonce (OpenID Connect Core 1.0, 12.2). */
async function issueTokens(deps: GrantDeps, content: TokenContent, nonce?: string): Promise<GrantedTokens> {
  const token = await deps.issuer.issue(content);
  if (content.kind !== 'user' || !content.session.openid?.scopes.includes('openid')) return { token };
  const signer = await deps.keys.idTokenSigner(content.client.idTokenAlg ?? 'RS256');
  const { accessToken } = token;
  const claims = createIdTokenClaims(content, { clock: deps.clock, issuer: deps.issuerUrl, nonce, accessToken });
  return { token, idToken: await signer.sign(claims) };
}

function assertGrantAllowed(
  { client, hasClientCredential }: AuthenticatedClient,
  { grantType, scope }: GrantRequest,
): void {
  if (!client.grantTypes.includes(grantType))
    throw apiError('GRANT_TYPE_NOT_ALLOWED', `The client may not use ${grantType}.`);
  if (!hasClientCredential && requiresClientCredential(client, grantType))
    throw createAuthenticationError('CREDENTIALS_INVALID', basicChallenge);
  if (grantType === 'password' && client.party !== '1STPARTY')
    throw apiError('GRANT_TYPE_NOT_ALLOWED', 'Only first-party clients may use the password grant.');
  if (isLoginGrant(grantType) && !takesPartInLogins(client, grantType))
    throw apiError('GRANT_TYPE_NOT_ALLOWED', explainLoginRefusal(client, grantType));
  // A code has the scope of its request (RFC 6749, 4.1.3 has none), a renewal that of its session.
  const hasScope = grantType === 'client_credentials' || grantType === 'password';
  if (hasScope && !isPartOf(scope, client.scope)) throw apiError('SCOPE_EXCEEDED');
}

function isPartOf(requested: readonly string[] | undefined, granted: readonly string[] | undefined): boolean {
  return requested === undefined || granted === undefined || requested.every((name) => granted.includes(name));
}

function isLoginGrant(name: OAuthGrantType): name is LoginGrantType {
  return loginGrantTypes.some((known) => known === name);
}

/** A token alone is not enough to obtain a new one: a stolen token could be renewed forever. */
function requiresClientCredential(client: Client, grantType: GrantRequest['grantType']): boolean {
  if (grantType === 'client_credentials') return true;
  return grantType !== 'password' && client.secretHash !== undefined;
}

async function issueClientToken(
  deps: GrantDeps,
  client: Client,
  { scope, resources }: GrantRequest,
  renewable: boolean,
): Promise<TokenResponse> {
  const { store, issuer } = deps;
  if (!renewable) return issuer.issue(await readClientContent(deps, client, { scope, resources }));
  const start = { client, level: 'NONE', remember: false, renewable, scope, resources } as const;
  const content = await store.transaction(async (tx) =>
    readClientContent(deps, client, { scope, ...(await startSession(tx, start, deps)) }),
  );
  return issuer.issue(content);
}

async function issueUserToken(
  deps: GrantDeps,
  { client, authenticated }: AuthenticatedClient,
  request: GrantRequest,
): Promise<TokenResponse> {
  // The client authenticates within the grant, not in the pipeline.
  const source = authenticated ? deps.sourceBehindClient(client) : deps.source;
  const hashFlow = { ...deps.hashFlow, flow: toFlowKey(source, authenticated ? client.clientId : undefined) };
  const passwordCredentials = {
    name: requireField(request.userName, 'user name'),
    secret: requireField(request.password, 'password'),
  };
  try {
    return await loginWithPassword(derive(deps, { source, hashFlow }), passwordCredentials, client, {
      remember: false,
      renewable: true,
      scope: request.scope,
      resources: request.resources,
    });
  } catch (error) {
    throw toInvalidGrant(error);
  }
}

async function renewSession(
  deps: GrantDeps,
  { client, hasClientCredential }: AuthenticatedClient,
  request: GrantRequest,
): Promise<TokenContent> {
  const { store } = deps;
  const refreshToken = requireField(request.refreshToken, 'refresh token');
  const content = await store.transaction(async (tx) => {
    const rotation = await rotateRefreshToken(
      tx,
      refreshToken,
      { clientId: client.clientId, hasClientCredential },
      deps,
    );
    // Thrown inside the transaction, so that a request with an excessive scope does not consume the token.
    if (rotation.outcome !== 'rotated') return undefined;
    const session = narrowAudiences(toRequestedSession(rotation.session, client, request), client, {
      resources: request.resources,
      issuer: deps.issuerUrl,
    });
    return readSessionContent(deps, { session, client, refreshToken: rotation.refreshToken });
  });
  if (!content) throw apiError('GRANT_INVALID');
  return content;
}

/** The session as the next tokens show it: a renewal may request at most its scope (RFC 6749, 6). */
function toRequestedSession(session: Session, client: Client, { scope: names }: GrantRequest): Session {
  if (names === undefined) return session;
  const narrowed = narrowSession(session, client, names);
  const granted = [...narrowed.scope, ...(narrowed.openid?.scopes ?? [])];
  if (!isPartOf(names, granted) || !isPartOf(narrowed.scope, client.scope)) throw apiError('SCOPE_EXCEEDED');
  return narrowed;
}

/** For OAuth, a wrong password of a user is `invalid_grant`, not `invalid_client`. */
function toInvalidGrant(error: unknown): unknown {
  const isInvalidCredentials = error instanceof IamError && error.code === 'CREDENTIALS_INVALID';
  return isInvalidCredentials ? apiError('GRANT_INVALID').withReasonOf(error) : error;
}

function requireField(value: string | undefined, name: string): string {
  if (value === undefined) throw fieldError('FIELD_MISSING', name, `The ${name} is required for this grant.`);
  return value;
}

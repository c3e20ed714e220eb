/** The three grants of the token endpoints (RFC 6749, 4.3, 4.4 and 6), whatever words the endpoint has for them. */
import { fault, fieldError, IamError } from '../../contract/errors.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Client, Session } from '../store/tables.ts';
import type { TokenResponse } from '../tokens/issue.ts';
import { authenticate, authenticateClient, basicChallenge, unauthenticated } from './authenticate.ts';
import type { Pair, Presented } from './credentials.ts';
import { laneOf } from './hash-queue.ts';
import { type LoginTools, loginWithPassword } from './login.ts';
import { isClientItself } from './principal.ts';
import { forTheSameReason } from './reasons.ts';
import { secretMatches } from './secrets.ts';
import { tokenInSession } from './session-tokens.ts';
import { rotate, startSession } from './sessions.ts';

export interface GrantRequest {
  readonly grantType: 'client_credentials' | 'password' | 'refresh_token';
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly userName?: string | undefined;
  readonly password?: string | undefined;
  readonly refreshToken?: string | undefined;
  readonly scope?: readonly string[] | undefined;
}

export interface GrantTools extends LoginTools {
  presented(): Presented;
  sourceBehind(client: Client): RequestSource;
  /** Called once the client has authenticated. */
  authenticated(): void;
}

interface Grantee {
  readonly client: Client;
  /** It has shown its secret or a key, not its name or a token only. */
  readonly proven: boolean;
  /** It has shown more than its name. */
  readonly authenticated: boolean;
}

/**
 * @param clientsRenew whether a client that logs in for itself gets a refresh token as well.
 * @throws IamError CREDENTIALS_*, FIELD_MISSING, GRANT_INVALID, GRANT_TYPE_NOT_ALLOWED, SCOPE_EXCEEDED, TOO_MANY_ATTEMPTS, TOO_BUSY.
 */
export async function grantToken(
  tools: GrantTools,
  request: GrantRequest,
  { clientsRenew }: { clientsRenew: boolean },
): Promise<TokenResponse> {
  const grantee = await granteeOf(tools, request);
  if (grantee.authenticated) tools.authenticated();
  requireAllowed(grantee, request);
  if (request.grantType === 'client_credentials') return grantToClient(tools, grantee.client, request, clientsRenew);
  if (request.grantType === 'password') return grantToUser(tools, grantee, request);
  return grantRenewal(tools, grantee, request);
}

/** Who asks. A client that has a secret has to show it, or a key or a token in its place. */
async function granteeOf(tools: GrantTools, request: GrantRequest): Promise<Grantee> {
  const presented = tools.presented();
  const named = request.clientId ?? presented.clientId;
  if (presented.clientId !== undefined && presented.clientId !== named)
    throw fault('CREDENTIALS_AMBIGUOUS', 'The query and the body name different clients.');
  const inHeader = presented.basic ?? presented.bearer ?? presented.apiKey;
  if (inHeader !== undefined && request.clientSecret !== undefined)
    throw fault('CREDENTIALS_AMBIGUOUS', 'The client presents itself in a header and in the body.');
  const client = await (inHeader === undefined
    ? fromBody(tools, named, request.clientSecret)
    : fromHeader(tools, presented));
  if (named !== undefined && named !== client.client.clientId)
    throw fault('CREDENTIALS_AMBIGUOUS', 'The client id is another than that of the credentials.');
  return client;
}

async function fromBody(
  { authentication, source }: GrantTools,
  clientId: string | undefined,
  secret: string | undefined,
): Promise<Grantee> {
  if (clientId === undefined) throw unauthenticated('CREDENTIALS_MISSING', basicChallenge);
  if (secret !== undefined)
    return provenBy(await authenticateClient(authentication, { name: clientId, secret }, source));
  const principal = await authenticate(authentication, { clientId }, { auth: 'client-id', source });
  if (!principal || principal.client.secretHash !== undefined)
    throw unauthenticated('CREDENTIALS_INVALID', basicChallenge);
  return { client: principal.client, proven: false, authenticated: false };
}

async function fromHeader(
  { authentication, source }: GrantTools,
  { clientId: _query, ...presented }: Presented,
): Promise<Grantee> {
  if (presented.basic) {
    const pair = await chosenPair(authentication, presented.basic);
    return provenBy(await authenticateClient(authentication, pair, source));
  }
  const principal = await authenticate(authentication, presented, { auth: 'caller', source });
  if (!principal || principal.user) throw unauthenticated('TOKEN_INVALID');
  return { client: principal.client, proven: principal.way === 'api-key', authenticated: isClientItself(principal) };
}

/** By its secret. */
function provenBy(client: Client): Grantee {
  return { client, proven: true, authenticated: true };
}

/** OAuth libraries form-encode the pair (RFC 6749, 2.3.1), other callers send it raw: raw counts first. */
async function chosenPair(by: LoginTools['authentication'], raw: Pair): Promise<Pair> {
  const client = await by.store.clients.get(raw.name);
  if (secretMatches(raw.secret, client?.secretHash)) return raw;
  try {
    return { name: formDecoded(raw.name), secret: formDecoded(raw.secret) };
  } catch {
    return raw;
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function requireAllowed({ client, proven }: Grantee, { grantType, scope }: GrantRequest): void {
  if (!client.grantTypes.includes(grantType))
    throw fault('GRANT_TYPE_NOT_ALLOWED', `The client may not use ${grantType}.`);
  if (!proven && needsProof(client, grantType)) throw unauthenticated('CREDENTIALS_INVALID', basicChallenge);
  if (grantType === 'password' && client.party !== '1STPARTY')
    throw fault('GRANT_TYPE_NOT_ALLOWED', 'Only first-party clients see passwords of users.');
  if (scope?.some((name) => !client.scope.includes(name))) throw fault('SCOPE_EXCEEDED');
}

/** A token alone gets no new ones: whoever stole it would keep it alive for ever. */
function needsProof(client: Client, grantType: GrantRequest['grantType']): boolean {
  return grantType === 'client_credentials' || (grantType === 'refresh_token' && client.secretHash !== undefined);
}

async function grantToClient(
  tools: GrantTools,
  client: Client,
  { scope }: GrantRequest,
  renewable: boolean,
): Promise<TokenResponse> {
  const { store, issuer } = tools;
  if (!renewable) return issuer.forClient(client, { scope });
  const start = { clientId: client.clientId, level: 'NONE', remember: false, renewable, scope } as const;
  const started = await store.transaction((tx) => startSession(tx, start, tools));
  return issuer.forClient(client, started);
}

async function grantToUser(
  tools: GrantTools,
  { client, authenticated }: Grantee,
  request: GrantRequest,
): Promise<TokenResponse> {
  // The client presents itself to the grant, not to the pipeline.
  const source = authenticated ? tools.sourceBehind(client) : tools.source;
  const hashLane = { ...tools.hashLane, lane: laneOf(source, authenticated ? client.clientId : undefined) };
  const pair = { name: required(request.userName, 'user name'), secret: required(request.password, 'password') };
  try {
    return await loginWithPassword({ ...tools, source, hashLane }, pair, client, {
      remember: false,
      renewable: true,
      scope: request.scope,
    });
  } catch (error) {
    throw asInvalidGrant(error);
  }
}

async function grantRenewal(
  tools: GrantTools,
  { client, proven }: Grantee,
  request: GrantRequest,
): Promise<TokenResponse> {
  const { store } = tools;
  const refreshToken = required(request.refreshToken, 'refresh token');
  const rotation = await store.transaction(async (tx) => {
    const outcome = await rotate(tx, refreshToken, { clientId: client.clientId, proven }, tools);
    // Thrown here, so that a token that asked for too much is not used up.
    if (outcome.outcome === 'rotated') requireScopeOf(outcome.session, request);
    return outcome;
  });
  if (rotation.outcome !== 'rotated') throw fault('GRANT_INVALID');
  const session = { ...rotation.session, ...(request.scope === undefined ? {} : { scope: request.scope }) };
  const token = await tokenInSession(tools, session, client, { refreshToken: rotation.refreshToken });
  if (!token) throw fault('GRANT_INVALID');
  return token;
}

/** A renewal may ask for less than the session has, not for more (RFC 6749, 6). */
function requireScopeOf(session: Session, { scope }: GrantRequest): void {
  if (session.scope !== undefined && scope?.some((name) => !session.scope?.includes(name)))
    throw fault('SCOPE_EXCEEDED');
}

/** To an OAuth library a wrong password of a user is an invalid grant, not an invalid client. */
function asInvalidGrant(error: unknown): unknown {
  const isRefusal = error instanceof IamError && error.code === 'CREDENTIALS_INVALID';
  return isRefusal ? forTheSameReason(fault('GRANT_INVALID'), error) : error;
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw fieldError('FIELD_MISSING', name, `The ${name} is required for this grant.`);
  return value;
}

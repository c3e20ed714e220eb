/** Issues test tokens, without credentials. */
import { apiError, fieldError } from '../../contract/errors.ts';
import { hasTestFeatures, type Settings } from '../config/settings.ts';
import type { SessionDeps } from '../sessions/sessions.ts';
import type { AccessClaims } from '../tokens/claims.ts';
import { type ContentDeps, readClientContent, type TokenContent } from '../tokens/content.ts';
import type { TokenIssuer } from '../tokens/issue.ts';
import type { KeyRing } from '../tokens/keys.ts';
import { changeClaims, describeChanges, signTestToken, type TokenChanges } from '../tokens/test-tokens.ts';
import { findUserByLogin } from '../users/users.ts';
import { requireActiveClient, type SignInRequest, startSessionWithoutPassword } from './sign-in.ts';

export interface TestTokenRequest extends TokenChanges {
  /** A user, by id or login name, or a client, by id or service account. */
  readonly for: string;
  /** For a user. */
  readonly clientId?: string | undefined;
  readonly level?: SignInRequest['level'] | undefined;
}

export interface TestToken {
  readonly accessToken: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly clientId: string;
  readonly userId?: string;
  readonly sessionId?: string;
}

interface TestTokenDeps extends SessionDeps, ContentDeps {
  readonly settings: SessionDeps['settings'] & Pick<Settings, 'allowRemote' | 'testFeatures'>;
  readonly issuer: TokenIssuer;
  readonly keys: KeyRing;
  /** Marks requests with the token in the request log. */
  readonly observability: { readonly testTokens: { add(token: string, difference: string): void } } | undefined;
}

/**
 * A token of a user belongs to a new session: the lock of the user and the end of the session apply to it, as roles of
 * the store do. Only on servers without remote access, since the signature of the server convinces other services.
 * @throws IamError TEST_FEATURES_OFF, USER_NOT_FOUND, USER_LOCKED, CLIENT_NOT_FOUND, FIELD_VALUE.
 */
export async function issueTestToken(
  { for: name, clientId, level, ...changes }: TestTokenRequest,
  deps: TestTokenDeps,
): Promise<TestToken> {
  if (!hasTestFeatures(deps.settings)) throw apiError('TEST_FEATURES_OFF');
  if (deps.settings.allowRemote)
    throw apiError('TEST_FEATURES_OFF', 'A server with remote access issues no test tokens.');
  const content = await readContent({ name, clientId, level }, deps);
  let normal: AccessClaims | undefined;
  const { accessToken } = await deps.issuer.issue(content, (claims) => {
    normal = claims;
  });
  const claims = changeClaims(normal as unknown as AccessClaims, changes);
  const difference = describeChanges(changes);
  const token = difference === '' ? accessToken : await signTestToken(claims, deps.keys, changes);
  deps.observability?.testTokens.add(token, difference === '' ? 'unchanged' : difference);
  return {
    accessToken: token,
    claims,
    clientId: content.client.clientId,
    ...(content.kind === 'user' ? { userId: content.user.userId, sessionId: content.session.sessionId } : {}),
  };
}

async function readContent(
  { name, clientId, level }: Pick<TestTokenRequest, 'clientId' | 'level'> & { readonly name: string },
  deps: TestTokenDeps,
): Promise<TokenContent> {
  const user = (await deps.store.users.get(name)) ?? (await findUserByLogin(deps.store, name));
  if (user)
    return startSessionWithoutPassword(
      { userId: user.userId, clientId, level: level ?? 'AUTH-BASIC', remember: false },
      deps,
    );
  const client = (await deps.store.clients.get(name)) ?? (await deps.store.clients.getBy('serviceAccountId', name));
  if (!client) throw apiError('USER_NOT_FOUND', `User or client ${name} not found.`);
  if (clientId !== undefined) throw fieldError('FIELD_VALUE', 'clientId', 'clientId is for tokens of users.');
  if (level !== undefined) throw fieldError('FIELD_VALUE', 'level', 'level is for tokens of users.');
  return readClientContent(deps, await requireActiveClient(deps.store, client.clientId));
}

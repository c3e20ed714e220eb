/** Shared by the operations on API keys. */
import { apiError, detailedError } from '../../contract/errors.ts';
import { describeMissing, isAuthenticationRole } from '../../contract/roles.ts';
import type { Random } from '../lib/random.ts';
import { hashSecret } from '../lib/secrets.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { ApiKey, Client } from '../store/tables.ts';
import type { ApiKeyUses } from './api-key-uses.ts';
import { isLevelUpTo } from './authentication-levels.ts';
import { resolveGrantableScope } from './clients.ts';
import { type ApprovalDeps, assertMayObtainCredentials } from './login-approval.ts';
import type { Principal } from './principal.ts';
import { resolveClientAuthorities } from './service-roles.ts';

/** Generates an API key: base64 of 32 random bytes. */
export function generateApiKey(random: Random): string {
  return random.bytes(32).toString('base64');
}

/** The stored form of a key: its hash, and a hint of its last characters (the very last one is always `=`). */
export function digestApiKey(apiKey: string): { keyHash: string; hint: string } {
  return { keyHash: hashSecret(apiKey), hint: apiKey.slice(-5, -1) };
}

/**
 * Returns the client of a new or changed key. A key grants its bearer all authorities of the client, so these must not
 * exceed those of the caller: roles, scopes, CLI-AUTH-BASIC, which every key grants, and the logins of users.
 * @throws IamError CLIENT_NOT_FOUND, GRANT_EXCEEDED.
 */
export async function requireGrantableClient(reader: Reader, clientId: string, deps: ApprovalDeps): Promise<Client> {
  const { caller } = deps;
  const client = await reader.clients.get(clientId);
  if (!client) throw apiError('CLIENT_NOT_FOUND');
  const granted = ['CLI-AUTH-BASIC', ...(await resolveClientAuthorities(reader, client))];
  const roles = [...new Set(granted)].filter((role) => !mayGrant(role, caller));
  const grantable = await resolveGrantableScope(reader, caller);
  assertNoneExceeding(
    roles,
    client.scope.filter((name) => !grantable.has(name)),
  );
  assertMayObtainCredentials(client, deps);
  return client;
}

/** @throws IamError GRANT_EXCEEDED if a client has roles or scope that the caller cannot give. */
export function assertNoneExceeding(roles: readonly string[], scope: readonly string[]): void {
  const missing = { missingRoles: [...roles].sort(), missingScopes: [...scope].sort() };
  const exceeded = describeMissing(missing);
  if (exceeded.length === 0) return;
  const message = `The client has authorities that the caller lacks: ${exceeded.join(', ')}.`;
  throw detailedError('GRANT_EXCEEDED', missing, message);
}

/**
 * Whether a caller may pass a role on with a key or a secret: it has the role, or has IAM_ADMIN_MAINTENANCE and could
 * obtain the role through a group. Roles that only the service grants cannot be obtained through a group: an
 * authentication level is limited to the caller's level, and CLI-AUTH-BASIC requires ADMIN and AUTH-MFA.
 */
export function mayGrant(role: string, { roles }: Principal): boolean {
  if (roles.has(role)) return true;
  if (role === 'CLI-AUTH-BASIC') return roles.has('ADMIN') && roles.has('AUTH-MFA');
  if (isLevelUpTo(role, roles)) return true;
  return roles.has('IAM_ADMIN_MAINTENANCE') && !isAuthenticationRole(role);
}

/** @throws IamError API_KEY_TAKEN where another key has the same value, or a rotation of this key replaced it. */
export async function assertApiKeyAvailable(tx: Transaction, keyHash: string, apiKeyId: string): Promise<void> {
  const existing = await tx.apiKeys.getBy('keyHash', keyHash);
  if (existing && (existing.apiKeyId !== apiKeyId || existing.keyHash !== keyHash)) throw apiError('API_KEY_TAKEN');
}

/** The fields that an update or a rotation of an API key writes: its ETag is of them. */
export function toUpdatableApiKey({ apiKeyId, appId, clientId, keyHash }: ApiKey): object {
  return { apiKeyId, appId, clientId, keyHash };
}

export type ApiKeyView = Omit<ApiKey, 'keyHash' | 'previousKey' | 'rotatedAt'>;

/** An API key as responses contain it: without its hash, and with its last use. */
export function toApiKeyView(
  { keyHash: _, previousKey: _previous, rotatedAt: _rotated, ...row }: ApiKey,
  uses: ApiKeyUses,
): ApiKeyView {
  const lastUsedAt = uses.findPending(row.apiKeyId)?.toISOString() ?? row.lastUsedAt;
  return lastUsedAt === undefined ? row : { ...row, lastUsedAt };
}

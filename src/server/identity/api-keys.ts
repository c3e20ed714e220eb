/** What the operations on API keys share. */
import { apiError, detailedError } from '../../contract/errors.ts';
import { describeMissing, isAuthenticationRole } from '../../contract/roles.ts';
import type { Random } from '../random.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Client } from '../store/tables.ts';
import type { Principal } from './principal.ts';
import { hashSecret } from './secrets.ts';
import { resolveClientAuthorities } from './service-roles.ts';
import { isLevelUpTo } from './user-roles.ts';

/** A new key: base64 of 32 random bytes. */
export function generateApiKey(random: Random): string {
  return random.bytes(32).toString('base64');
}

/** What is kept of a key: its hash, and enough of its end to tell keys apart (the last character is always `=`). */
export function digestApiKey(apiKey: string): { keyHash: string; hint: string } {
  return { keyHash: hashSecret(apiKey), hint: apiKey.slice(-5, -1) };
}

/**
 * The client that a key is for. A key gives its holder everything that the client may do, so none of it may go beyond
 * the caller: neither roles nor scope, nor CLI-AUTH-BASIC, which every key proves.
 * @throws IamError CLIENT_NOT_FOUND, GRANT_EXCEEDED.
 */
export async function requireGrantableClient(reader: Reader, clientId: string, caller: Principal): Promise<Client> {
  const client = await reader.clients.get(clientId);
  if (!client) throw apiError('CLIENT_NOT_FOUND');
  const granted = ['CLI-AUTH-BASIC', ...(await resolveClientAuthorities(reader, client))];
  const roles = [...new Set(granted)].filter((role) => !mayGrant(role, caller)).sort();
  const scope = client.scope.filter((name) => !caller.scope.has(name)).sort();
  const missing = { missingRoles: roles, missingScopes: scope };
  const exceeded = describeMissing(missing);
  if (exceeded.length === 0) return client;
  const message = `The client may do more than the caller, who lacks: ${exceeded.join(', ')}.`;
  throw detailedError('GRANT_EXCEEDED', missing, message);
}

/**
 * Whether a caller may pass a role on by a key: one that it holds, or with IAM_ADMIN_MAINTENANCE could give itself by a
 * group. What the service alone gives can't be had that way: for a level of authentication the caller's own is the limit,
 * and CLI-AUTH-BASIC takes an ADMIN with a second factor.
 */
function mayGrant(role: string, { roles }: Principal): boolean {
  if (roles.has(role)) return true;
  if (role === 'CLI-AUTH-BASIC') return roles.has('ADMIN') && roles.has('AUTH-MFA');
  if (isLevelUpTo(role, roles)) return true;
  return roles.has('IAM_ADMIN_MAINTENANCE') && !isAuthenticationRole(role);
}

/** @throws IamError API_KEY_TAKEN where another key has the same value. */
export async function assertApiKeyAvailable(tx: Transaction, keyHash: string, apiKeyId: string): Promise<void> {
  const existing = await tx.apiKeys.getBy('keyHash', keyHash);
  if (existing && existing.apiKeyId !== apiKeyId) throw apiError('API_KEY_TAKEN');
}

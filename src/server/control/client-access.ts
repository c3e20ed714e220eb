/** Which clients a caller of the control plane may change: as with the operations of the interface on them. */
import { apiError } from '../../contract/errors.ts';
import { assertNoneExceeding, mayGrant } from '../directory/api-keys.ts';
import { isLevelUpTo } from '../directory/authentication-levels.ts';
import { resolveGrantableScope } from '../directory/clients.ts';
import { ownsClient } from '../directory/object-access.ts';
import { hasWholeToken, type Principal } from '../directory/principal.ts';
import { resolveClientAuthorities } from '../directory/service-roles.ts';
import type { ControlContext } from '../request-context.ts';
import type { Reader } from '../store/store.ts';
import type { Client } from '../store/tables.ts';

/** The caller; undefined without remote access, where all callers are on this machine and need no credentials. */
export function findCaller({ settings, caller }: Pick<ControlContext, 'settings' | 'caller'>): Principal | undefined {
  return settings.allowRemote ? caller : undefined;
}

/**
 * Returns a client that the caller may change. Its secret grants every right of the client, so the caller must be able to
 * give them: an administrator as to a new client, an owner only those that it has itself. Owners create third-party
 * clients only; first-party ones with their id belong to the administrators that created them.
 * @throws IamError CLIENT_NOT_FOUND, TOKEN_NARROWED for an owner, GRANT_EXCEEDED.
 */
export async function requireManagedClient(
  reader: Reader,
  clientId: string,
  caller: Principal | undefined,
): Promise<Client> {
  const client = await reader.clients.get(clientId);
  if (!client) throw apiError('CLIENT_NOT_FOUND');
  if (!caller) return client;
  const isAdministrator = caller.roles.has('ADMIN') && caller.roles.has('AUTH-MFA');
  if (!isAdministrator) assertOwnThirdParty(client, caller);
  if (!isAdministrator && !hasWholeToken(caller)) throw apiError('TOKEN_NARROWED');
  const mayPass = isAdministrator ? mayGrant : holdsRole;
  const authorities = await resolveClientAuthorities(reader, client);
  const roles = [...authorities].filter((role) => !mayPass(role, caller));
  const grantable = await resolveGrantableScope(reader, caller);
  const hasEveryScope = isAdministrator && caller.roles.has('IAM_ADMIN_MAINTENANCE');
  const scope = hasEveryScope ? [] : client.scope.filter((name) => !grantable.has(name));
  assertNoneExceeding(roles, scope);
  return client;
}

function assertOwnThirdParty(client: Client, caller: Principal): void {
  const owns = client.bootstrap === undefined && ownsClient(caller, client);
  if (owns && client.party === '3RDPARTY') return;
  const text = owns
    ? 'The client exists, but only administrators change first-party clients.'
    : 'The client exists, but belongs to another owner, and the caller is no administrator with AUTH-MFA.';
  throw apiError('CLIENT_NOT_FOUND').withReason({ text });
}

function holdsRole(role: string, { roles }: Principal): boolean {
  return roles.has(role) || isLevelUpTo(role, roles);
}

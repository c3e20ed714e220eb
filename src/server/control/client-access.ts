/** Which clients a caller of the control plane may change: as with the operations of the interface on them. */
import { apiError, detailedError } from '../../contract/errors.ts';
import { isAdministrativeRole } from '../../contract/roles.ts';
import { requireGrantableClient } from '../directory/api-keys.ts';
import { ownsClient } from '../directory/object-access.ts';
import type { Principal } from '../directory/principal.ts';
import { resolveClientAuthorities } from '../directory/service-roles.ts';
import type { ControlContext } from '../request-context.ts';
import type { Reader } from '../store/store.ts';
import type { Client } from '../store/tables.ts';

/** The caller; undefined without remote access, where all callers are on this machine and need no credentials. */
export function findCaller({ settings, caller }: Pick<ControlContext, 'settings' | 'caller'>): Principal | undefined {
  return settings.allowRemote ? caller : undefined;
}

/**
 * Returns a client that the caller may change. An administrator needs every right of the client, because its secret grants
 * them. An owner has its secret already, except for administrative roles that others gave it since.
 * @throws IamError CLIENT_NOT_FOUND, GRANT_EXCEEDED.
 */
export async function requireManagedClient(
  reader: Reader,
  clientId: string,
  caller: Principal | undefined,
): Promise<Client> {
  const client = await reader.clients.get(clientId);
  if (!client) throw apiError('CLIENT_NOT_FOUND');
  if (!caller) return client;
  if (caller.roles.has('ADMIN') && caller.roles.has('AUTH-MFA'))
    return requireGrantableClient(reader, clientId, caller);
  if (client.bootstrap !== undefined || !ownsClient(caller, client)) throw apiError('CLIENT_NOT_FOUND');
  const authorities = await resolveClientAuthorities(reader, client);
  const missingRoles = [...authorities].filter((role) => isAdministrativeRole(role) && !caller.roles.has(role)).sort();
  if (missingRoles.length === 0) return client;
  const message = `The client has authorities that the caller lacks: ${missingRoles.join(', ')}.`;
  throw detailedError('GRANT_EXCEEDED', { missingRoles }, message);
}

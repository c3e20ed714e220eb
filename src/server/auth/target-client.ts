/** Checks for continuing as the same user in another client. */
import { apiError } from '../../contract/errors.ts';
import { isOwnerActive } from '../directory/clients.ts';
import { hasWholeToken, type Principal } from '../directory/principal.ts';
import type { Reader } from '../store/store.ts';
import type { Client, Session } from '../store/tables.ts';

/**
 * The client in which a user continues. A client whose owner is locked or removed is inactive and reported as not found.
 * @throws IamError CLIENT_NOT_FOUND; TARGET_NOT_ALLOWED for a third-party client.
 */
export async function requireTargetClient(
  reader: Pick<Reader, 'clients' | 'users' | 'businesses'>,
  clientId: string,
): Promise<Client> {
  const client = await reader.clients.get(clientId);
  if (!client || !(await isOwnerActive(reader, client))) throw apiError('CLIENT_NOT_FOUND');
  if (client.party !== '1STPARTY') throw apiError('TARGET_NOT_ALLOWED');
  return client;
}

/**
 * The scope that the caller's token was limited to: a derived token must not have more, whatever scope the other client
 * has.
 * @returns undefined if the token has the full scope of its client.
 */
export function findNarrowedScope(caller: Principal, session: Session): string[] | undefined {
  const isNarrowed = session.scope !== undefined || !hasWholeToken(caller);
  return isNarrowed ? [...caller.scope] : undefined;
}

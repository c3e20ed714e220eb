/** Going on as the same user with another client. */
import { apiError } from '../../contract/errors.ts';
import type { Reader } from '../store/store.ts';
import type { Client, Session } from '../store/tables.ts';
import { isOwnerActive } from './clients.ts';
import type { Principal } from './principal.ts';

/**
 * The client that a user is to go on with. One whose owner is locked or gone could not call, and counts as not there.
 * @throws IamError CLIENT_NOT_FOUND; TARGET_NOT_ALLOWED where it is of a third party.
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
 * What the caller's token was narrowed to: nothing that it leads to may be wider, whatever scope another client has.
 * @returns undefined where it has all that its client has.
 */
export function findNarrowedScope({ client, scope }: Principal, session: Session): string[] | undefined {
  const isNarrowed = session.scope !== undefined || client.scope.some((name) => !scope.has(name));
  return isNarrowed ? [...scope] : undefined;
}

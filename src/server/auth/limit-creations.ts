/** Limits what a request creates, by the owner of its caller: anyone can become a user, and a user can own clients. */
import { IamError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { isAdministrator } from '../directory/object-access.ts';
import { isClientItself, type Principal } from '../directory/principal.ts';
import { isAdministrative, resolveGroupRolesOfUser } from '../directory/user-roles.ts';
import type { RequestSource } from '../lib/request-source.ts';
import type { GrowthLimits } from '../limits/growth.ts';
import { type LimitedRequest, limitRequest } from '../limits/limited-store.ts';
import type { Reader, Store } from '../store/store.ts';
import type { Client, User } from '../store/tables.ts';

export interface GrowthDeps {
  readonly growthLimits: GrowthLimits;
  /** The name of the sandbox: its ids are not those of the server. */
  readonly sandbox?: string | undefined;
}

interface Deps extends GrowthDeps {
  readonly store: Store;
}

/** Read before the first transaction. */
interface RequestCaller {
  readonly caller: Principal | undefined;
  /** The client that authenticated in the body; set by the handler. */
  readonly authenticatedClient: Client | undefined;
}

/** @returns undefined for requests of a loopback address, which have no limit. */
export function limitCreations(
  { store, growthLimits, sandbox }: Deps,
  operation: Pick<Operation, 'renewsSession'>,
  request: RequestCaller,
  { isLoopback, network }: RequestSource,
): LimitedRequest | undefined {
  if (isLoopback) return undefined;
  return limitRequest({
    store,
    growthLimits,
    renewsSession: operation.renewsSession === true,
    async findCreator() {
      const { caller, authenticatedClient: client } = request;
      const found = await (client ? findOwnerOfClient(store, client) : findOwnerOfCaller(store, caller));
      if (found.kind === 'unlimited') return undefined;
      return found.kind === 'owner' ? { network, owner: formatOwner(found.owner, sandbox) } : { network };
    },
  });
}

/**
 * Counts a creation for the owner of a client, in a request without the limits above.
 * @returns how to undo it; undefined if a limit is reached.
 */
export async function reserveCreation(
  clientId: string,
  { store, growthLimits, sandbox, source }: Deps & { readonly source: RequestSource },
): Promise<{ readonly undo: () => void } | undefined> {
  const client = source.isLoopback ? undefined : await store.clients.get(clientId);
  const found = client && (await findOwnerOfClient(store, client));
  if (found?.kind !== 'owner') return { undo: () => undefined };
  try {
    return { undo: growthLimits.reserve({ network: source.network, owner: formatOwner(found.owner, sandbox) }) };
  } catch (error) {
    if (error instanceof IamError) return undefined;
    throw error;
  }
}

const formatOwner = (owner: string, sandbox = '') => `${sandbox}/${owner}`;

/**
 * After a recovery: an attacker with the password could have used up the limit that the user needs. That of a business is
 * not cleared: its users could recover one after the other, and create objects without a limit.
 */
export function clearCreations({ growthLimits, sandbox }: GrowthDeps, user: User): void {
  if (user.businessId === undefined) growthLimits.clearOwner(formatOwner(ownerOfUser(user).owner, sandbox));
}

type OwnerReader = Pick<Reader, 'users' | 'clients' | 'groups' | 'memberships'>;

/** `unlimited`: an administrator, or a client that only an administrator can have created. */
type CreatorOwner =
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'unlimited' }
  | { readonly kind: 'owner'; readonly owner: string };

/** A user shares its limits with its business, to which the clients belong that it creates. */
async function findOwnerOfCaller(reader: OwnerReader, caller: Principal | undefined): Promise<CreatorOwner> {
  if (!caller || caller.authMethod === 'client-id') return { kind: 'unauthenticated' };
  if (isClientItself(caller)) return findOwnerOfClient(reader, caller.client);
  if (!caller.user) return { kind: 'owner', owner: `logon ${caller.logon}` };
  return isAdministrator(caller) ? { kind: 'unlimited' } : ownerOfUser(caller.user);
}

/** @param client authenticated with its secret, an API key or a token. */
async function findOwnerOfClient(reader: OwnerReader, client: Client): Promise<CreatorOwner> {
  const { businessId, userId, ownerClientId } = client;
  if (businessId !== undefined) return { kind: 'owner', owner: `business ${businessId}` };
  if (userId !== undefined) {
    const user = await reader.users.get(userId);
    if (!user) return { kind: 'owner', owner: `user ${userId}` };
    return isAdministrative(await resolveGroupRolesOfUser(reader, user)) ? { kind: 'unlimited' } : ownerOfUser(user);
  }
  const creator = ownerClientId === undefined ? undefined : await reader.clients.get(ownerClientId);
  if (creator) {
    const found = await findOwnerOfClient(reader, creator);
    return found.kind === 'owner' ? found : { kind: 'owner', owner: `client ${creator.clientId}` };
  }
  return client.party === '1STPARTY' ? { kind: 'unlimited' } : { kind: 'owner', owner: `client ${client.clientId}` };
}

function ownerOfUser({ userId, businessId }: User): Extract<CreatorOwner, { kind: 'owner' }> {
  return { kind: 'owner', owner: businessId === undefined ? `user ${userId}` : `business ${businessId}` };
}

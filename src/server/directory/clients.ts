/** Roles, owners, redirect URIs and storage of clients. */
import { apiError, detailedError } from '../../contract/errors.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { generateSecret, type Random } from '../lib/random.ts';
import { hashSecret } from '../lib/secrets.ts';
import type { Derivation } from '../store/derived-values.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Client } from '../store/tables.ts';
import { type ApprovalDeps, chooseApproval } from './login-approval.ts';
import { normalizeNewName } from './new-names.ts';
import { businessOf } from './object-access.ts';
import { isClientItself, type Principal } from './principal.ts';
import { resolveClientAuthorities } from './service-roles.ts';
import { reserveSubjectId } from './subject-ids.ts';

type ClientReader = Pick<Reader, 'groups' | 'memberships' | 'users' | 'clients'>;

export function partyRole(client: Client): string {
  return `CLI-${client.party}`;
}

/** The roles of every authenticated client besides its own authorities. */
function authenticatedClientRoles(client: Client): string[] {
  return ['CLI-AUTH-IDENTIFIED', 'CLI-AUTH-BASIC', partyRole(client)];
}

/** Roles of clients without groups: they depend on the row only, and rows are immutable. */
const clientRoles: Derivation<ReadonlySet<string>> = { name: 'client roles' };

export async function resolveAuthenticatedClientRoles(
  reader: ClientReader,
  client: Client,
): Promise<ReadonlySet<string>> {
  const cache = reader.clients.rowCache(clientRoles);
  const cached = cache.get(client);
  if (cached) return cached;
  const roles = new Set([...(await resolveClientAuthorities(reader, client)), ...authenticatedClientRoles(client)]);
  if (client.serviceAccountId === undefined) cache.set(client, roles);
  return roles;
}

type OwnerReader = Pick<Reader, 'users' | 'businesses' | 'clients'>;

export function hasOwner({ userId, businessId, ownerClientId }: Client): boolean {
  return userId !== undefined || businessId !== undefined || ownerClientId !== undefined;
}

/**
 * False if an owner of the client was removed or is inactive itself: the client cannot authenticate then. No operation makes
 * clients that own each other, but a file that was changed may contain them: they are inactive.
 */
export async function isOwnerActive(reader: OwnerReader, client: Client): Promise<boolean> {
  const seen = new Set<string>();
  for (let at: Client | undefined = client; at && !seen.has(at.clientId); ) {
    seen.add(at.clientId);
    if (!(await isDirectOwnerActive(reader, at))) return false;
    if (at.ownerClientId === undefined) return true;
    at = await reader.clients.get(at.ownerClientId);
  }
  return false;
}

async function isDirectOwnerActive(reader: OwnerReader, { userId, businessId }: Client): Promise<boolean> {
  const user = userId === undefined ? undefined : await reader.users.get(userId);
  if (userId !== undefined && (!user || user.locked)) return false;
  return businessId === undefined || (await reader.businesses.get(businessId)) !== undefined;
}

/** The owner of a client: the field of the client that contains its id, and the id. */
export interface ClientOwner {
  readonly field: 'businessId' | 'userId' | 'ownerClientId';
  readonly id: string;
}

/** The owner of clients that the caller creates for itself: its business, else its user, else the calling client. */
export function resolveOwner(caller: Principal): ClientOwner {
  const businessId = businessOf(caller);
  if (businessId !== undefined) return { field: 'businessId', id: businessId };
  const userId = isClientItself(caller) ? caller.client.userId : caller.user?.userId;
  return userId === undefined
    ? { field: 'ownerClientId', id: caller.client.clientId }
    : { field: 'userId', id: userId };
}

/** All redirect URIs of a client, in their order. The first one is the `redirectURI` of the interface. */
export function readRedirectUris({
  redirectURI,
  otherRedirectURIs = [],
}: Pick<Client, 'redirectURI' | 'otherRedirectURIs'>): readonly string[] {
  return redirectURI === undefined ? otherRedirectURIs : [redirectURI, ...otherRedirectURIs];
}

/** Lists to replace in a client. An absent one stays. */
interface ClientLists {
  readonly redirectURIs?: readonly string[] | undefined;
  readonly audiences?: readonly string[] | undefined;
  readonly postLogoutRedirectURIs?: readonly string[] | undefined;
}

/** The client with these lists in place of those that it has: each entry once, and no field for an empty list. */
export function replaceLists(client: Client, { redirectURIs, ...lists }: ClientLists): Client {
  const [redirectURI, ...others] = new Set(redirectURIs);
  const replaced = Object.entries({ ...lists, otherRedirectURIs: redirectURIs && others }).flatMap(([name, list]) =>
    list ? [[name, list.length === 0 ? undefined : [...new Set(list)]]] : [],
  );
  const changed = { ...client, ...(redirectURIs ? { redirectURI } : {}), ...Object.fromEntries(replaced) };
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined)) as Client;
}

/** Fields of a client that its creator chooses. */
type ClientFields = Pick<Client, 'appId' | 'serviceAccountId' | 'redirectURI' | 'organizationId' | 'businessUnitId'> &
  Pick<Client, 'userId' | 'businessId' | 'ownerClientId'> & {
    readonly [Field in 'scope' | 'grantTypes']?: Client[Field] | undefined;
  };

/**
 * The scope that a caller can give to another client. A user names the client of its login, or changes to it, without a
 * secret, and so obtains the scope of every first-party client. Of the scope of a client that has a secret, a user can
 * therefore give only what the application client of the server has, too.
 */
export async function resolveGrantableScope(
  reader: Pick<Reader, 'clients'>,
  caller: Principal,
): Promise<ReadonlySet<string>> {
  if (isClientItself(caller) || caller.client.secretHash === undefined) return caller.scope;
  const app = await reader.clients.getBy('bootstrap', 'app');
  return new Set(app?.scope.filter((name) => caller.scope.has(name)));
}

/** @throws IamError SCOPE_EXCEEDED if the caller cannot give this scope to a client. */
export async function assertMayGrantScope(
  reader: Pick<Reader, 'clients'>,
  scope: readonly string[],
  caller: Principal,
): Promise<void> {
  const grantable = await resolveGrantableScope(reader, caller);
  const missingScopes = scope.filter((name) => !grantable.has(name));
  if (missingScopes.length === 0) return;
  const names = missingScopes.join(', ');
  const message = missingScopes.every((name) => caller.scope.has(name))
    ? `Users of a client that has a secret cannot give its scope ${names} to another client.`
    : `The caller does not have the scope ${names}.`;
  throw detailedError('SCOPE_EXCEEDED', { missingScopes }, message);
}

interface Deps extends ApprovalDeps {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly random: Random;
}

/** A client that is not yet stored, and its secret, which cannot be read later. @throws IamError NAME_NOT_VISIBLE. */
export function createClientRow(
  fields: ClientFields,
  party: Client['party'],
  deps: Deps,
): { readonly client: Client; readonly clientSecret: string } {
  const clientSecret = generateSecret(deps.random);
  const { scope = [], grantTypes = ['client_credentials'], ...otherFields } = fields;
  const client: Client = {
    ...otherFields,
    appId: normalizeNewName('appId', fields.appId),
    clientId: deps.ids.newId(),
    secretHash: hashSecret(clientSecret),
    party,
    authorities: [],
    scope,
    grantTypes,
    ...chooseApproval({ party, grantTypes }, deps),
    factorVisibility: 'CREDENTIALS_ONLY',
    createdAt: deps.clock.now().toISOString(),
  };
  return { client, clientSecret };
}

/** Stores a new client. Its ids must never have been used. @throws IamError ID_TAKEN */
export async function addClient(tx: Transaction, client: Client): Promise<void> {
  const { clientId, serviceAccountId } = client;
  await reserveSubjectId(tx, { subject: clientId, kind: 'client', ownerId: clientId });
  if (serviceAccountId !== undefined) await reserveServiceAccount(tx, { ...client, serviceAccountId });
  await tx.clients.insert(client);
}

/** Reserves the id of the service account of a client, which must never have been used. @throws IamError ID_TAKEN */
export async function reserveServiceAccount(
  tx: Transaction,
  { clientId, party, serviceAccountId }: Pick<Client, 'clientId' | 'party'> & { readonly serviceAccountId: string },
): Promise<void> {
  // Any caller can choose the ids of its own clients.
  if (party === '3RDPARTY' && (await tx.users.getBy('login', foldIdentifier(serviceAccountId))))
    throw apiError('ID_TAKEN', `${serviceAccountId} is the login name of a user.`);
  await reserveSubjectId(tx, { subject: serviceAccountId, kind: 'service', ownerId: clientId });
}

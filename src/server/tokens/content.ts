/**
 * What an access token says, read from the store. The transaction that starts or changes its session reads it before it
 * commits, so that nothing is read between a confirmed commit and the response: a failure there would be reported for a
 * change that was made.
 */
import { resolveAuthenticatedClientRoles } from '../directory/clients.ts';
import { listMemberIdentities, resolveGroupRolesOfUser } from '../directory/user-roles.ts';
import type { Reader, Store } from '../store/store.ts';
import { type Client, memberValue, type Session, type User } from '../store/tables.ts';

interface CommonContent {
  readonly client: Client;
  /** The access token is valid only as long as the session. */
  readonly session?: Session | undefined;
  readonly refreshToken?: string | undefined;
}

/** A client's own token, with all its current authorities. */
export interface ClientContent extends CommonContent {
  readonly kind: 'client';
  readonly roles: ReadonlySet<string>;
  /** A subset of the client's scope, for a token without a session. */
  readonly scope?: readonly string[] | undefined;
}

/** A user in a session: the user's level and roles, and the client's party and scope. */
export interface UserContent extends CommonContent {
  readonly kind: 'user';
  readonly session: Session;
  readonly user: User;
  readonly groupRoles: ReadonlySet<string>;
  /** Claims of the user's business and customer. */
  readonly claims: OwnerClaims;
}

interface OwnerClaims {
  readonly business_id?: string;
  readonly organization_id?: string;
  readonly business_unit_id?: string;
  readonly customer_id?: number;
}

/** A mainframe logon that is linked to no user. */
export interface LogonContent extends CommonContent {
  readonly kind: 'logon';
  readonly session: Session;
  readonly logon: string;
}

export type TokenContent = ClientContent | UserContent | LogonContent;

/** A session with the client of its token; to narrow the scope, a session with less scope. */
export interface TokenSession {
  readonly session: Session;
  readonly client: Client;
  readonly refreshToken?: string | undefined;
}

export async function readClientContent(
  store: Store,
  client: Client,
  more: Omit<ClientContent, 'kind' | 'client' | 'roles'> = {},
): Promise<ClientContent> {
  return { ...more, kind: 'client', client, roles: await resolveAuthenticatedClientRoles(store, client) };
}

/**
 * Reads the store and not the transaction, whose reads conflict with changes to groups. A user that the transaction
 * creates belongs to no group.
 */
export async function readUserContent(
  store: Store,
  { user, session, client, refreshToken }: TokenSession & { readonly user: User },
): Promise<UserContent> {
  const reader = await prefetchUser(store, user);
  const groupRoles = session.level === 'NONE' ? new Set<string>() : await resolveGroupRolesOfUser(reader, user);
  const claims = { ...(await readBusinessClaims(user, reader)), ...(await readCustomerClaims(user, reader)) };
  return { kind: 'user', user, session, client, refreshToken, groupRoles, claims };
}

export function createLogonContent(logon: string, { session, client, refreshToken }: TokenSession): LogonContent {
  return { kind: 'logon', logon, session, client, refreshToken };
}

/** For a session of a user, a logon or a client. @returns undefined if the user is locked or does not exist. */
export async function readSessionContent(store: Store, started: TokenSession): Promise<TokenContent | undefined> {
  const { session, client, refreshToken } = started;
  if (session.userId !== undefined) {
    const user = await store.users.get(session.userId);
    return user && !user.locked ? readUserContent(store, { ...started, user }) : undefined;
  }
  if (session.logon !== undefined) return createLogonContent(session.logon, started);
  return readClientContent(store, client, { session, refreshToken });
}

function prefetchUser(store: Store, user: User): Promise<Reader> | Reader {
  const { businessId } = user;
  const keys = businessId === undefined ? {} : { businesses: businessId };
  return store.prefetch?.({ keys, members: listMemberIdentities(user).map(memberValue) }) ?? store;
}

async function readBusinessClaims(user: User, reader: Reader): Promise<OwnerClaims> {
  if (user.businessId === undefined) return {};
  const { organizationId, businessUnitId } = (await reader.businesses.get(user.businessId)) ?? {};
  return {
    business_id: user.businessId,
    ...(organizationId === undefined ? {} : { organization_id: organizationId }),
    ...(businessUnitId === undefined ? {} : { business_unit_id: businessUnitId }),
  };
}

/** Claims of the customer that the user is, or that its business is. */
async function readCustomerClaims(user: User, reader: Reader): Promise<OwnerClaims> {
  const customer =
    (await reader.customers.getBy('userId', user.userId)) ??
    (user.businessId === undefined ? undefined : await reader.customers.getBy('businessId', user.businessId));
  return customer === undefined ? {} : { customer_id: customer.customerId };
}

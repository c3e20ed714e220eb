/**
 * What an access token says, read from the store. The transaction that starts or changes its session reads it before it
 * commits, so that nothing is read between a confirmed commit and the response: a failure there would be reported for a
 * change that was made.
 */

import { detailedError, type IamError } from '../../contract/errors.ts';
import { resolveAuthenticatedClientRoles } from '../directory/clients.ts';
import type { GrantedSession } from '../directory/principal.ts';
import { listMemberIdentities, resolveGroupRolesOfUser } from '../directory/user-roles.ts';
import type { Reader, Store } from '../store/store.ts';
import { type Client, memberValue, type User } from '../store/tables.ts';

interface CommonContent {
  readonly client: Client;
  /** The access token is valid only as long as the session. */
  readonly session?: GrantedSession | undefined;
  readonly refreshToken?: string | undefined;
}

/** A client's own token, with all its current authorities. */
export interface ClientContent extends CommonContent {
  readonly kind: 'client';
  readonly roles: ReadonlySet<string>;
  /** A subset of the client's scope, for a token without a session. */
  readonly scope?: readonly string[] | undefined;
  /** The audiences of a token without a session, if the request names them. */
  readonly resources?: readonly string[] | undefined;
}

/** A user in a session: the user's level and roles, and the client's party and scope. */
export interface UserContent extends CommonContent {
  readonly kind: 'user';
  readonly session: GrantedSession;
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
  readonly session: GrantedSession;
  readonly logon: string;
}

export type TokenContent = ClientContent | UserContent | LogonContent;

export interface TokenSize {
  readonly length: number;
  readonly maxLength: number;
  readonly roleCount: number;
}

export interface ContentDeps {
  readonly store: Store;
  readonly issuer: { measure(content: TokenContent): TokenSize };
}

/** A session with the client of its token; to narrow the scope, a session with less scope. */
export interface TokenSession {
  readonly session: GrantedSession;
  readonly client: Client;
  readonly refreshToken?: string | undefined;
}

/** @throws IamError TOKEN_TOO_LONG. */
export async function readClientContent(
  deps: ContentDeps,
  client: Client,
  more: Omit<ClientContent, 'kind' | 'client' | 'roles'> = {},
): Promise<ClientContent> {
  const roles = await resolveAuthenticatedClientRoles(deps.store, client);
  return assertFits({ ...more, kind: 'client', client, roles }, deps);
}

/**
 * Reads the store and not the transaction, whose reads conflict with changes to groups. A user that the transaction
 * creates belongs to no group.
 * @throws IamError TOKEN_TOO_LONG.
 */
export async function readUserContent(
  deps: ContentDeps,
  { user, session, client, refreshToken }: TokenSession & { readonly user: User },
): Promise<UserContent> {
  const reader = await prefetchUser(deps.store, user);
  const groupRoles = session.level === 'NONE' ? new Set<string>() : await resolveGroupRolesOfUser(reader, user);
  const claims = { ...(await readBusinessClaims(user, reader)), ...(await readCustomerClaims(user, reader)) };
  return assertFits({ kind: 'user', user, session, client, refreshToken, groupRoles, claims }, deps);
}

export function createLogonContent(logon: string, { session, client, refreshToken }: TokenSession): LogonContent {
  return { kind: 'logon', logon, session, client, refreshToken };
}

/**
 * For a session of a user, a logon or a client. @returns undefined if the user is locked or does not exist.
 * @throws IamError TOKEN_TOO_LONG.
 */
export async function readSessionContent(deps: ContentDeps, started: TokenSession): Promise<TokenContent | undefined> {
  const { session, client, refreshToken } = started;
  if (session.userId !== undefined) {
    const user = await deps.store.users.get(session.userId);
    return user && !user.locked ? readUserContent(deps, { ...started, user }) : undefined;
  }
  if (session.logon !== undefined) return assertFits(createLogonContent(session.logon, started), deps);
  return readClientContent(deps, client, { session, refreshToken });
}

/** Called before the change is committed that the token is issued for. @throws IamError TOKEN_TOO_LONG. */
export async function assertFits<Content extends TokenContent>(content: Content, deps: ContentDeps): Promise<Content> {
  const size = deps.issuer.measure(content);
  if (size.length > size.maxLength) throw await createTooLongError(content, size, deps.store);
  return content;
}

/** Groups that the reason names. */
const maxNamedGroups = 20;

/** The response counts roles; the reason, for operators only, names the groups that they come from. */
async function createTooLongError(
  content: TokenContent,
  { length, maxLength, roleCount }: TokenSize,
  store: Store,
): Promise<IamError> {
  const message = `The token would have ${roleCount} roles and ${length} bytes. The limit is ${maxLength} bytes.`;
  const memberships = await store.memberships.findMany('member', listMemberValues(content));
  const groupIds = [...new Set(memberships.map(({ groupId }) => groupId))];
  const groups = await store.groups.getMany(groupIds.slice(0, maxNamedGroups));
  const names = groups.map(({ groupName }) => groupName).join(', ');
  const rest = groupIds.length > groups.length ? ` and ${groupIds.length - groups.length} more` : '';
  const origin = names === '' ? 'No role comes from a group.' : `The roles come from the groups ${names}${rest}.`;
  const { clientId } = content.client;
  const holder = content.kind === 'user' ? { userId: content.user.userId } : { clientId };
  return detailedError('TOKEN_TOO_LONG', { limit: maxLength }, message).withReason({
    text: `${message} ${origin}`,
    ...holder,
  });
}

function listMemberValues(content: TokenContent): string[] {
  if (content.kind === 'user') return listMemberIdentities(content.user).map(memberValue);
  const memberId = content.client.serviceAccountId;
  return content.kind === 'logon' || memberId === undefined ? [] : [memberValue({ kind: 'service', memberId })];
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

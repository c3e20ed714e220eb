/**
 * Rejects a write that makes tokens longer than the limit: of a group, the tokens that its roles make too long alone, and
 * those of groups that depend on it; of a membership, a client or the business of a user, the tokens of that member.
 * The existing members of a changed group can be many and are not read: what they get from several groups together is
 * checked when they log in. So are delegated roles of services, which depend on their owner. A seed is checked with the
 * existing members: see `findLongTokens`.
 *
 * Reads the store and not the transaction, whose reads conflict with changes of groups. A concurrent change that is missed
 * is noticed at the login, too.
 */
import { apiError, detailedError, type IamError } from '../../contract/errors.ts';
import { hasAdministrator } from '../directory/administrators.ts';
import { edgesPerTurn } from '../directory/group-roles.ts';
import { listMemberIdentities } from '../directory/user-roles.ts';
import { createPause } from '../lib/event-loop-turns.ts';
import { overrideTransaction } from '../store/overrides.ts';
import type { Reader, Store } from '../store/store.ts';
import { type Group, type Membership, memberValue, type User } from '../store/tables.ts';
import { toAuthorities } from './claims.ts';
import type { TokenIssuer } from './issue.ts';
import { measureEncoded } from './jwt-signer.ts';
import { RoleChanges } from './role-changes.ts';
import {
  fits,
  maxDifference,
  readSampleClient,
  sampleClient,
  sampleUser,
  serviceMemberValue,
  toSampleClientContent,
  toSampleContent,
} from './sample-content.ts';

/** Bytes of a token for the ids and the scope of a client. */
const maxOfClient = 8_192;

type Measure = Pick<TokenIssuer, 'measure'>;

/** Creates a function that wraps the store for one request. */
export function createLengthGuard(issuer: Measure): (store: Store) => Store {
  const isSmall = createSizeCheck(issuer);
  return (store) => {
    const transaction: Store['transaction'] = (work) =>
      store.transaction(async (tx) => {
        const changes = new RoleChanges();
        const result = await work(changes.record(tx));
        for (const [groupId, group] of changes.newGroups)
          if (changes.memberships.length > 0 || !isSmall(group)) changes.groups.set(groupId, group);
        await assertTokensFit(store, changes, issuer);
        return result;
      });
    return overrideTransaction(store, transaction);
  };
}

/** Creates a check that most groups pass: a token with their roles alone is far below the limit, whatever its client and key. */
function createSizeCheck(issuer: Measure): (group: Group) => boolean {
  let bytesForRoles: number | undefined;
  return ({ roles }) => {
    bytesForRoles ??= measureRest(issuer) - maxOfClient;
    return measureEncoded(Buffer.byteLength(JSON.stringify(toAuthorities(roles)))) <= bytesForRoles;
  };
}

/** The bytes below the limit that a token without roles leaves to them. */
function measureRest(issuer: Measure): number {
  const { length, maxLength } = issuer.measure(toSampleContent(sampleUser, sampleClient, new Set()));
  return maxLength - length;
}

/** One whose token a change can make longer. */
interface Holder {
  readonly name: string;
  readonly groupIds: ReadonlySet<string>;
  measure(roles: ReadonlySet<string>): { readonly length: number; readonly maxLength: number };
}

/** @throws IamError TOKEN_LIMIT_EXCEEDED, LAST_ADMINISTRATOR. */
async function assertTokensFit(reader: Reader, changes: RoleChanges, issuer: Measure): Promise<void> {
  const { groups, memberships, clients, users } = changes;
  if (groups.size + memberships.length + clients.length + users.length === 0) return;
  const client = await readSampleClient(reader);
  const measureUser = (user: User) => (roles: ReadonlySet<string>) =>
    issuer.measure(toSampleContent(user, client, roles));
  const holders = [
    ...(await listGroupHolders(reader, groups, measureUser(sampleUser))),
    ...(await listUserHolders(reader, changes, measureUser)),
    ...listBusinessHolders(memberships, measureUser),
    ...(await listClientHolders(reader, changes, issuer)),
  ];
  const graph = await readGraph(reader, holders, groups);
  await assertHoldersFit(holders, graph, measureUser(sampleUser));
  if (groups.size > 0) await assertAdministratorFits(reader, groups, measureUser);
}

/** The changed groups, and those that depend on them. */
async function listGroupHolders(
  reader: Reader,
  changed: ReadonlyMap<string, Group>,
  measure: Holder['measure'],
): Promise<Holder[]> {
  const holders = new Map([...changed.values()].map((group) => [group.groupId, group]));
  for (const groupId of changed.keys())
    for (const group of await reader.groups.findReaching('dependency', 'dependency', groupId))
      if (!holders.has(group.groupId)) holders.set(group.groupId, group);
  return [...holders.values()].map(({ groupId, groupName }) => ({
    name: `members of the group ${groupName}`,
    groupIds: new Set([groupId]),
    measure,
  }));
}

async function listUserHolders(
  reader: Reader,
  { memberships, users }: RoleChanges,
  measureUser: (user: User) => Holder['measure'],
): Promise<Holder[]> {
  const added = memberships.filter(({ kind }) => kind === 'user' || kind === 'businessUser');
  const members = await reader.users.getMany([...new Set(added.map(({ memberId }) => memberId))]);
  const byId = new Map([...members, ...users].map((user) => [user.userId, user]));
  const identities = new Map([...byId.values()].map((user) => [user, listMemberIdentities(user).map(memberValue)]));
  const groupIds = await readGroupIds(reader, [...identities.values()].flat(), added);
  return [...identities].map(([user, values]) => ({
    name: `user ${user.userId}`,
    groupIds: new Set(values.flatMap((value) => groupIds.get(value) ?? [])),
    measure: measureUser(user),
  }));
}

/** The users of a business have at least its roles. */
function listBusinessHolders(
  memberships: readonly Membership[],
  measureUser: (user: User) => Holder['measure'],
): Holder[] {
  return memberships
    .filter(({ kind }) => kind === 'business')
    .map(({ memberId, groupId }) => ({
      name: `users of the business ${memberId}`,
      groupIds: new Set([groupId]),
      measure: measureUser({ ...sampleUser, businessId: memberId }),
    }));
}

async function listClientHolders(
  reader: Reader,
  { memberships, clients }: RoleChanges,
  issuer: Measure,
): Promise<Holder[]> {
  const added = memberships.filter(({ kind, delegated }) => kind === 'service' && !delegated);
  const services = await reader.clients.findMany('serviceAccountId', [
    ...new Set(added.map(({ memberId }) => memberId)),
  ]);
  const groupIds = await readGroupIds(reader, services.map(serviceMemberValue), added);
  return [...services, ...clients].map((client) => ({
    name: `client ${client.clientId}`,
    groupIds: new Set(groupIds.get(serviceMemberValue(client))),
    measure: (roles) => issuer.measure(toSampleClientContent(client, roles)),
  }));
}

/** The groups of each member, by its value in the index. */
export async function readGroupIds(
  reader: Reader,
  memberValues: readonly string[],
  added: readonly Membership[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const stored = memberValues.length === 0 ? [] : await reader.memberships.findMany('member', memberValues);
  const groupIds = new Map<string, string[]>();
  for (const membership of [...stored, ...added]) {
    if (membership.delegated) continue;
    const value = memberValue(membership);
    const known = groupIds.get(value);
    if (known) known.push(membership.groupId);
    else groupIds.set(value, [membership.groupId]);
  }
  return groupIds;
}

type Graph = ReadonlyMap<string, Group>;

/** All groups that the holders reach after the change. */
async function readGraph(
  reader: Reader,
  holders: readonly Pick<Holder, 'groupIds'>[],
  changed: ReadonlyMap<string, Group>,
): Promise<Graph> {
  const starts = new Set(holders.flatMap(({ groupIds }) => [...groupIds]));
  for (const { dependencies } of changed.values()) for (const groupId of dependencies) starts.add(groupId);
  const reached = await reader.groups.reach('dependency', [...starts]);
  return new Map([...reached.map((group): [string, Group] => [group.groupId, group]), ...changed]);
}

/** Steps in the graph. Beyond them, the login checks. */
const maxSteps = 500_000;

async function assertHoldersFit(holders: readonly Holder[], graph: Graph, measure: Holder['measure']): Promise<void> {
  const all = new Set([...graph.values()].flatMap(({ roles }) => roles));
  const { length, maxLength } = measure(all);
  const isSmall = length + maxDifference <= maxLength;
  const pause = createPause(edgesPerTurn);
  let steps = 0;
  for (const { name, groupIds, measure: measureHolder } of holders) {
    // Most changes: no further look at groups. Clients have authorities and scope besides.
    if (isSmall && fits(measureHolder(all))) continue;
    const roles = new Set<string>();
    if (steps < maxSteps) steps += collectRoles(graph, groupIds, roles);
    await pause(roles.size);
    if (!fits(measureHolder(roles))) throw createLimitError(name, maxLength);
  }
}

/** Adds the effective roles of these groups. @returns the number of steps */
function collectRoles(graph: Graph, groupIds: Iterable<string>, roles: Set<string>): number {
  const reached = new Set(groupIds);
  let steps = 0;
  // Iteration over a Set includes entries that are added during the iteration.
  for (const groupId of reached) {
    const group = graph.get(groupId);
    if (!group) continue;
    for (const role of group.roles) roles.add(role);
    for (const dependency of group.dependencies) reached.add(dependency);
    steps += 1 + group.roles.length + group.dependencies.length;
  }
  return steps;
}

function createLimitError(name: string, maxLength: number): IamError {
  const message = `With this change, a token of the ${name} would be longer than ${maxLength} bytes.`;
  return detailedError('TOKEN_LIMIT_EXCEEDED', { limit: maxLength }, message).withReason({ text: message });
}

/** More roles of a group can make the token of the last administrator too long. @throws IamError LAST_ADMINISTRATOR. */
async function assertAdministratorFits(
  reader: Reader,
  changed: ReadonlyMap<string, Group>,
  measureUser: (user: User) => Holder['measure'],
): Promise<void> {
  const fitsIn = (groups: ReadonlyMap<string, Group>) => async (user: User) => {
    const values = listMemberIdentities(user).map(memberValue);
    const holder = { groupIds: new Set([...(await readGroupIds(reader, values, [])).values()].flat()) };
    const roles = new Set<string>();
    collectRoles(await readGraph(reader, [holder], groups), holder.groupIds, roles);
    return fits(measureUser(user)(roles));
  };
  if (await hasAdministrator(reader, fitsIn(changed))) return;
  if (await hasAdministrator(reader, fitsIn(new Map()))) throw apiError('LAST_ADMINISTRATOR');
}

/**
 * Finds all whose tokens a whole document, such as a seed, makes too long: members of changed groups included, unlike the
 * check of a single write. Roles are united once for each group, after those of its dependencies, and once for each set of
 * groups that members have.
 *
 * Groups and members are read from the store and not the transaction, whose reads conflict with logins of the members.
 */
import { listMemberIdentities } from '../directory/user-roles.ts';
import { createPause } from '../lib/event-loop-turns.ts';
import { visitFromEnds } from '../lib/topological-order.ts';
import type { Reader, Transaction } from '../store/store.ts';
import { type Client, type Group, type Membership, memberListKey, memberValue, type User } from '../store/tables.ts';
import type { TokenContent, TokenSize } from './content.ts';
import type { TokenMeasure } from './issue.ts';
import { readGroupIds } from './length-guard.ts';
import type { RoleChanges } from './role-changes.ts';
import {
  fits,
  maxDifference,
  readSampleClient,
  sampleUser,
  serviceMemberValue,
  toSampleClientContent,
  toSampleContent,
} from './sample-content.ts';

type Roles = ReadonlySet<string>;
type Graph = ReadonlyMap<string, Group>;

export type TokenHolder =
  | { readonly kind: 'group'; readonly group: Group }
  | { readonly kind: 'user'; readonly user: User }
  | { readonly kind: 'client'; readonly client: Client };

export interface LongToken {
  readonly holder: TokenHolder;
  readonly size: TokenSize;
  /** The groups that its roles come from, its own before those that they depend on. */
  readonly groups: readonly Group[];
}

interface Change {
  readonly tx: Transaction;
  /** As before the change. */
  readonly store: Reader;
  readonly changes: RoleChanges;
}

/** Those that are described. */
const maxDescribed = 1_000;

export interface LongTokens {
  /** For groups, the token of a member of this group alone. */
  readonly tokens: readonly LongToken[];
  /** The number of all of them. */
  readonly count: number;
}

export async function findLongTokens(change: Change, issuer: TokenMeasure): Promise<LongTokens> {
  const { tx, store, changes } = change;
  if (changes.isEmpty()) return { tokens: [], count: 0 };
  const graph = new Map((await store.groups.list()).map((group) => [group.groupId, group]));
  for (const [groupId, group] of changes.writtenGroups) graph.set(groupId, group);
  const app = await readSampleClient(tx);
  const measureUser = (roles: Roles) => issuer.measure(toSampleContent(sampleUser, app, roles));
  const all = new Set([...graph.values()].flatMap(({ roles }) => roles));
  const { length, maxLength } = measureUser(all);
  // Most stores: only clients have something besides the roles of groups, and the users of groups are not read.
  const isSmall = length + maxDifference <= maxLength;
  const members = await listMembers(change, graph, isSmall);
  const tokens: LongToken[] = [];
  let count = 0;
  let check: Awaited<ReturnType<typeof createLengthCheck>> | undefined;
  const pause = createPause();
  for (const member of members) {
    const measure = (roles: Roles) => issuer.measure(toContent(member.holder, app, roles));
    await pause();
    if (isSmall && fits(measure(all))) continue;
    check ??= await createLengthCheck(graph, maxLength);
    if (check(member, measure)) continue;
    count += 1;
    if (tokens.length < maxDescribed) tokens.push(describe(graph, member, measure));
  }
  return { tokens, count };
}

interface Member {
  readonly holder: TokenHolder;
  readonly groupIds: readonly string[];
}

/** All whose roles the change can have added to, by the kinds in the order of the report. */
async function listMembers(change: Change, graph: Graph, onlyClients: boolean): Promise<Member[]> {
  const { store, changes } = change;
  const affected = findDependents(graph, [...changes.groups.keys(), ...changes.newGroups.keys()]);
  const groupIds = affected.map(({ groupId }) => groupId);
  const services = groupIds.map((groupId) => memberListKey({ groupId, kind: 'service' }));
  const stored = await (onlyClients
    ? store.memberships.findMany('memberList', services)
    : store.memberships.findMany('group', groupIds));
  const memberships = [...stored, ...changes.memberships];
  const clients = await listClients(change, memberships);
  if (onlyClients) return clients;
  const groups = affected.map((group): Member => ({ holder: { kind: 'group', group }, groupIds: [group.groupId] }));
  return [...groups, ...(await listUsers(change, memberships)), ...clients];
}

function toContent(holder: TokenHolder, app: Client, roles: Roles): TokenContent {
  if (holder.kind === 'client') return toSampleClientContent(holder.client, roles);
  return toSampleContent(holder.kind === 'user' ? holder.user : sampleUser, app, roles);
}

/** These groups, and all that depend on them. */
function findDependents(graph: Graph, groupIds: readonly string[]): Group[] {
  const dependents = new Map<string, string[]>();
  for (const { groupId, dependencies } of graph.values())
    for (const dependency of dependencies) {
      const known = dependents.get(dependency);
      if (known) known.push(groupId);
      else dependents.set(dependency, [groupId]);
    }
  const found = new Set(groupIds);
  // Iteration over a Set includes entries that are added during the iteration.
  for (const groupId of found) for (const dependent of dependents.get(groupId) ?? []) found.add(dependent);
  return [...found].flatMap((groupId) => graph.get(groupId) ?? []);
}

async function listUsers({ tx, store, changes }: Change, memberships: readonly Membership[]): Promise<Member[]> {
  const idsOf = (...kinds: Membership['kind'][]) => [
    ...new Set(memberships.filter(({ kind }) => kinds.includes(kind)).map(({ memberId }) => memberId)),
  ];
  const ids = idsOf('user', 'businessUser');
  const users = new Map((await store.users.getMany(ids)).map((user) => [user.userId, user]));
  for (const user of await tx.users.getMany(ids.filter((id) => !users.has(id)))) users.set(user.userId, user);
  for (const user of await store.users.findMany('businessId', idsOf('business'))) users.set(user.userId, user);
  for (const user of changes.users) users.set(user.userId, user);
  const values = new Map([...users.values()].map((user) => [user, listMemberIdentities(user).map(memberValue)]));
  const groupIds = await readGroupIds(store, [...values.values()].flat(), changes.memberships);
  return [...values].map(([user, identities]) => ({
    holder: { kind: 'user', user },
    groupIds: identities.flatMap((value) => groupIds.get(value) ?? []),
  }));
}

async function listClients({ tx, store, changes }: Change, memberships: readonly Membership[]): Promise<Member[]> {
  const services = memberships.filter(({ kind, delegated }) => kind === 'service' && !delegated);
  const ids = [...new Set(services.map(({ memberId }) => memberId))];
  const found = [...(await tx.clients.findMany('serviceAccountId', ids)), ...changes.clients];
  const clients = new Map(found.map((client) => [client.clientId, client]));
  const groupIds = await readGroupIds(store, [...clients.values()].map(serviceMemberValue), changes.memberships);
  return [...clients.values()].map((client) => ({
    holder: { kind: 'client', client },
    groupIds: groupIds.get(serviceMemberValue(client)) ?? [],
  }));
}

/** Roles with their length in the claims; beyond what a token can contain, only some. */
interface RoleSet {
  readonly roles: Roles;
  readonly bytes: number;
}

const noRoles: RoleSet = { roles: new Set(), bytes: 0 };

/** Bytes of a role beside its name: the prefix, quotes and a comma. */
const bytesPerRole = 8;

/** Most groups add nothing to one of the sets, which is then shared. */
function unite(sets: readonly RoleSet[], own: readonly string[], maxBytes: number): RoleSet {
  const largest = sets.reduce((one, other) => (other.bytes > one.bytes ? other : one), noRoles);
  const added = new Set<string>();
  let { bytes } = largest;
  for (const roles of [own, ...sets.map((set) => set.roles)])
    for (const role of roles) {
      if (bytes > maxBytes || roles === largest.roles) break;
      if (largest.roles.has(role) || added.has(role)) continue;
      added.add(role);
      bytes += Buffer.byteLength(role) + bytesPerRole;
    }
  return added.size === 0 ? largest : { roles: new Set([...largest.roles, ...added]), bytes };
}

/** The effective roles of each group. */
async function uniteRoles(graph: Graph, maxBytes: number): Promise<ReadonlyMap<string, RoleSet>> {
  const effective = new Map<string, RoleSet>();
  const nodes = [...graph.values()].map((group) => ({ key: group.groupId, targets: group.dependencies, group }));
  await visitFromEnds(nodes, ({ key, targets, group }) => {
    const inherited = targets.flatMap((target) => effective.get(target) ?? []);
    effective.set(key, unite(inherited, group.roles, maxBytes));
  });
  return effective;
}

type MeasureRoles = (roles: Roles) => TokenSize;

/** Bytes by which the sum of the parts of a token can differ from its length, as each is encoded alone. */
const maxRounding = 4;

/** Returns a function that returns whether a token fits. The roles of members with the same groups are united once. */
async function createLengthCheck(graph: Graph, maxLength: number) {
  const effective = await uniteRoles(graph, maxLength);
  const known = new Map<string, RoleSet>();
  return ({ holder, groupIds }: Member, measure: MeasureRoles): boolean => {
    const key = [...new Set(groupIds)].sort().join(' ');
    const sets = groupIds.flatMap((groupId) => effective.get(groupId) ?? []);
    const { roles, bytes } = known.get(key) ?? unite(sets, [], maxLength);
    known.set(key, { roles, bytes });
    // A client can also have a role itself.
    if (holder.kind === 'client') return fits(measure(roles));
    const over = measure(noRoles.roles).length + Math.ceil((bytes * 4) / 3) - maxLength;
    return Math.abs(over) > maxRounding ? over < 0 : fits(measure(roles));
  };
}

function describe(graph: Graph, { holder, groupIds }: Member, measure: MeasureRoles): LongToken {
  const reached = new Set(groupIds);
  const groups: Group[] = [];
  // Iteration over a Set includes entries that are added during the iteration.
  for (const groupId of reached) {
    const group = graph.get(groupId);
    if (!group) continue;
    groups.push(group);
    for (const dependency of group.dependencies) reached.add(dependency);
  }
  return { holder, groups, size: measure(new Set(groups.flatMap(({ roles }) => roles))) };
}

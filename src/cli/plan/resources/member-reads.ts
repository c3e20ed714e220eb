/** Reads the members of groups from the server. */
import type { RequestContext } from '../../context.ts';
import { requestsAtOnce, runConcurrently } from '../../http/run-concurrently.ts';
import { type Member, memberKey } from '../model/members.ts';
import type { RemoteState } from '../model/remote-state.ts';
import { readApiList, readOptionalControlList } from '../read-list.ts';

/** Above this number of groups all memberships are read, if the server lists them: a page of 1,000 costs as much as ten groups. */
const maxSingleReads = 50;
const minShare = 0.1;

/** By the key of the member. */
type MemberMap = ReadonlyMap<string, Member>;

/** Adds the members of groups that exist, by name, to the state. */
export async function readMembersOf(
  context: RequestContext,
  state: RemoteState,
  names: readonly string[],
): Promise<Pick<RemoteState, 'members' | 'partialMembers'>> {
  const isWhole = names.length > maxSingleReads && names.length > (state.groups?.size ?? 0) * minShare;
  const all = isWhole ? await readAllMembers(context) : undefined;
  const members = new Map(state.members);
  const partialMembers = new Set(state.partialMembers);
  const read = async (name: string) => {
    const groupId = state.groups?.get(name)?.groupId ?? name;
    const found = all ? (all.get(groupId) ?? []) : await readMembers(context, groupId);
    members.set(name, toMap(found ?? (await readMembersFromService(context, groupId))));
    if (!found) partialMembers.add(name);
  };
  for await (const _ of runConcurrently(names.values(), requestsAtOnce, read, () => false));
  return { members, partialMembers };
}

type MemberRow = Member & { readonly groupId: string; readonly userId?: string; readonly serviceId?: string };

/** By the id of the group; undefined without a control plane. */
async function readAllMembers(context: RequestContext): Promise<ReadonlyMap<string, readonly Member[]> | undefined> {
  const rows = (await readOptionalControlList(context, '/_iam/memberships')) as MemberRow[] | undefined;
  if (!rows) return undefined;
  const all = new Map<string, Member[]>();
  for (const row of rows) {
    const members = all.get(row.groupId) ?? [];
    members.push(parseMemberRow(row));
    all.set(row.groupId, members);
  }
  return all;
}

/** Undefined without a control plane. */
async function readMembers(context: RequestContext, groupId: string): Promise<readonly Member[] | undefined> {
  const path = `/_iam/groups/${encodeURIComponent(groupId)}/members`;
  return ((await readOptionalControlList(context, path)) as MemberRow[] | undefined)?.map(parseMemberRow);
}

function parseMemberRow({ kind, userId, businessId, serviceId }: MemberRow): Member {
  if (kind === 'businessUser') return { kind, id: userId ?? '', businessId };
  return { kind, id: userId ?? businessId ?? serviceId ?? '' };
}

function toMap(members: readonly Member[]): MemberMap {
  return new Map(members.map((member) => [memberKey(member), member]));
}

/** Without the control plane, business users are omitted, because the API lists them only per business. */
async function readMembersFromService(context: RequestContext, groupId: string): Promise<Member[]> {
  const users = (await readApiList(context, 'user-accesses.list-users', { groupName: groupId })) as {
    userId: string;
  }[];
  const businesses = (await readApiList(context, 'business-accesses.list-businesses', { groupId })) as {
    businessId: string;
  }[];
  const services = (await readApiList(context, 'service-accesses.list-services', { groupId })) as {
    serviceId: string;
  }[];
  return [
    ...users.map(({ userId }) => ({ kind: 'user', id: userId }) as const),
    ...businesses.map(({ businessId }) => ({ kind: 'business', id: businessId }) as const),
    ...services.map(({ serviceId }) => ({ kind: 'service', id: serviceId }) as const),
  ];
}

/** Checks that all references exist or are created by the documents. Pure. */

import type { AnyChange, GroupChange } from './changes.ts';
import type { DesiredGroup, DesiredState } from './desired-state.ts';
import { formatMember, type Member, memberFields, memberKey } from './members.ts';
import type { RemoteState } from './remote-state.ts';
import type { ResourceIndex } from './resource-index.ts';
import type { PlanIssue } from './resources/client.ts';

type Groups = ReadonlyMap<string, unknown>;

/** Returns references to missing resources. Existing members of a group are not checked. */
export function findReferenceIssues(
  desired: DesiredState,
  state: RemoteState,
  index: ResourceIndex,
  all: readonly AnyChange[],
  after: Groups,
): PlanIssue[] {
  const changes = all.filter((change): change is GroupChange => change.kind === 'group');
  const removedCorporateGroups = new Set(
    all.filter(({ kind, action }) => kind === 'corporateGroup' && action === 'delete').map(({ name }) => name),
  );
  const joining = new Map(changes.map((change) => [change.name, new Set(change.joining.map(memberKey))]));
  return [
    ...desired.groups.flatMap((group) => [
      ...findMissingDependencies(group, after),
      ...findMissingMembers(group, joining.get(group.groupName) ?? new Set(), state, index),
    ]),
    ...desired.customers.flatMap(({ path, userId }) =>
      userId !== undefined && isMissing(state.users, userId)
        ? [{ path: `${path}/userId`, message: `user ${userId} not found` }]
        : [],
    ),
    ...desired.corporateGroups.flatMap((group) =>
      findBusinessIssues(group, desired, state, index, removedCorporateGroups),
    ),
  ];
}

function findMissingDependencies({ path, groupName, dependencies = [] }: DesiredGroup, after: Groups): PlanIssue[] {
  return dependencies.flatMap((name, at) =>
    after.has(name)
      ? []
      : [
          {
            path: `${path}/dependencies/${at}`,
            message: `${groupName} depends on the group ${name}, which does not exist`,
          },
        ],
  );
}

function findMissingMembers(
  group: DesiredGroup,
  joining: ReadonlySet<string>,
  state: RemoteState,
  index: ResourceIndex,
): PlanIssue[] {
  if (joining.size === 0) return [];
  return Object.values(group.members).flatMap((members) =>
    members.flatMap((member, at) => {
      const message = joining.has(memberKey(member)) ? describeMissingMember(member, state, index) : undefined;
      return message === undefined ? [] : [{ path: `${group.path}/${memberFields[member.kind]}/${at}`, message }];
    }),
  );
}

function describeMissingMember(member: Member, state: RemoteState, index: ResourceIndex): string | undefined {
  const { kind, id, businessId = '' } = member;
  const noBusiness = (name: string) => isMissing(state.businesses, name) && !index.isBusinessCreated(name);
  if (kind === 'service')
    return isMissing(state.services, id) && !index.isServiceCreated(id) ? `service ${id} not found` : undefined;
  if (kind === 'business') return noBusiness(id) ? `business ${id} not found` : undefined;
  if (isMissing(state.users, id)) return `user ${id} not found`;
  if (kind === 'user') return undefined;
  if (noBusiness(businessId)) return `business ${businessId} not found`;
  const own = state.users.get(id);
  return own?.businessId !== undefined && own.businessId !== businessId
    ? `${formatMember(member)}: the user ${id} does not belong to the business ${businessId}`
    : undefined;
}

/** Whether a lookup found nothing; ids that were not looked up are not missing. */
function isMissing(lookup: ReadonlyMap<string, unknown>, id: string): boolean {
  return lookup.has(id) && lookup.get(id) === undefined;
}

function findBusinessIssues(
  { path, corporateGroupName, businesses = [] }: DesiredState['corporateGroups'][number],
  desired: DesiredState,
  state: RemoteState,
  index: ResourceIndex,
  removedCorporateGroups: ReadonlySet<string>,
): PlanIssue[] {
  const desiredBusinesses = new Map(
    desired.corporateGroups.map((group) => [group.corporateGroupName, group.businesses]),
  );
  return businesses.flatMap((businessId, at) => {
    const issuePath = `${path}/businesses/${at}`;
    const currentCorporateGroup = index.corporateGroupOfBusiness(businessId)?.corporateGroupName;
    if (
      currentCorporateGroup === undefined &&
      isMissing(state.businesses, businessId) &&
      !index.isBusinessCreated(businessId)
    )
      return [{ path: issuePath, message: `business ${businessId} not found` }];
    if (
      currentCorporateGroup === undefined ||
      currentCorporateGroup === corporateGroupName ||
      removedCorporateGroups.has(currentCorporateGroup) ||
      desiredBusinesses.get(currentCorporateGroup) !== undefined
    )
      return [];
    return [
      {
        path: issuePath,
        message: `the business ${businessId} is in the corporate group ${currentCorporateGroup}, which the documents do not change`,
      },
    ];
  });
}

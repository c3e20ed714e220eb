/** Whether everything that documents name is there, or is made by them. Pure. */
import type { AnyChange, GroupChange } from './changes.ts';
import type { PlanIssue } from './client-changes.ts';
import type { Desired, DesiredGroup } from './desired.ts';
import { formatMember, type Member, memberFields, memberKey } from './members.ts';
import type { RemoteState } from './remote-state.ts';
import type { ResourceIndex } from './resource-index.ts';

type Groups = ReadonlyMap<string, unknown>;

/** What is named and not there. Members who are in a group already are there. */
export function findReferenceIssues(
  desired: Desired,
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
        ? [{ path: `${path}/userId`, message: `there is no user ${userId}` }]
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
            message: `${groupName} depends on the group ${name}, which is not there`,
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
    return isMissing(state.services, id) && !index.isServiceCreated(id) ? `there is no service ${id}` : undefined;
  if (kind === 'business') return noBusiness(id) ? `there is no business ${id}` : undefined;
  if (isMissing(state.users, id)) return `there is no user ${id}`;
  if (kind === 'user') return undefined;
  if (noBusiness(businessId)) return `there is no business ${businessId}`;
  const own = state.users.get(id);
  return own?.businessId !== undefined && own.businessId !== businessId
    ? `${formatMember(member)}: the user ${id} is not of the business ${businessId}`
    : undefined;
}

/** Looked for and not found; what was not looked for is not missing. */
function isMissing(lookup: ReadonlyMap<string, unknown>, id: string): boolean {
  return lookup.has(id) && lookup.get(id) === undefined;
}

function findBusinessIssues(
  { path, corporateGroupName, businesses = [] }: Desired['corporateGroups'][number],
  desired: Desired,
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
      return [{ path: issuePath, message: `there is no business ${businessId}` }];
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
        message: `the business ${businessId} is in the corporate group ${currentCorporateGroup}, which the documents leave as it is`,
      },
    ];
  });
}

/** Whether everything that documents name is there, or is made by them. Pure. */
import type { AnyChange, GroupChange } from './changes.ts';
import type { Refusal } from './client-changes.ts';
import type { Desired, DesiredGroup } from './desired.ts';
import type { Index } from './matching.ts';
import { type Member, memberFields, memberKey, memberName } from './members.ts';
import type { State } from './state.ts';

type Groups = ReadonlyMap<string, unknown>;

/** What is named and not there. Members who are in a group already are there. */
export function referenceRefusals(
  desired: Desired,
  state: State,
  index: Index,
  all: readonly AnyChange[],
  after: Groups,
): Refusal[] {
  const changes = all.filter((change): change is GroupChange => change.kind === 'group');
  const ending = new Set(
    all.filter(({ kind, action }) => kind === 'corporateGroup' && action === 'delete').map(({ name }) => name),
  );
  const joining = new Map(changes.map((change) => [change.name, new Set(change.joining.map(memberKey))]));
  return [
    ...desired.groups.flatMap((group) => [
      ...dependencyRefusals(group, after),
      ...memberRefusals(group, joining.get(group.groupName) ?? new Set(), state, index),
    ]),
    ...desired.customers.flatMap(({ path, userId }) =>
      userId !== undefined && isMissing(state.users, userId)
        ? [{ path: `${path}/userId`, message: `there is no user ${userId}` }]
        : [],
    ),
    ...desired.corporateGroups.flatMap((group) => businessRefusals(group, desired, state, index, ending)),
  ];
}

function dependencyRefusals({ path, groupName, dependencies = [] }: DesiredGroup, after: Groups): Refusal[] {
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

function memberRefusals(group: DesiredGroup, joining: ReadonlySet<string>, state: State, index: Index): Refusal[] {
  if (joining.size === 0) return [];
  return Object.values(group.members).flatMap((members) =>
    members.flatMap((member, at) => {
      const message = joining.has(memberKey(member)) ? missingMember(member, state, index) : undefined;
      return message === undefined ? [] : [{ path: `${group.path}/${memberFields[member.kind]}/${at}`, message }];
    }),
  );
}

function missingMember(member: Member, state: State, index: Index): string | undefined {
  const { kind, id, businessId = '' } = member;
  const noBusiness = (name: string) => isMissing(state.businesses, name) && !index.isNewBusiness(name);
  if (kind === 'service')
    return isMissing(state.services, id) && !index.isNewService(id) ? `there is no service ${id}` : undefined;
  if (kind === 'business') return noBusiness(id) ? `there is no business ${id}` : undefined;
  if (isMissing(state.users, id)) return `there is no user ${id}`;
  if (kind === 'user') return undefined;
  if (noBusiness(businessId)) return `there is no business ${businessId}`;
  const own = state.users.get(id);
  return own?.businessId !== undefined && own.businessId !== businessId
    ? `${memberName(member)}: the user ${id} is not of the business ${businessId}`
    : undefined;
}

/** Looked for and not found; what was not looked for is not missing. */
function isMissing(looked: ReadonlyMap<string, unknown>, id: string): boolean {
  return looked.has(id) && looked.get(id) === undefined;
}

function businessRefusals(
  { path, corporateGroupName, businesses = [] }: Desired['corporateGroups'][number],
  desired: Desired,
  state: State,
  index: Index,
  ending: ReadonlySet<string>,
): Refusal[] {
  const leftBy = new Map(desired.corporateGroups.map((group) => [group.corporateGroupName, group.businesses]));
  return businesses.flatMap((businessId, at) => {
    const place = `${path}/businesses/${at}`;
    const home = index.home(businessId)?.corporateGroupName;
    if (home === undefined && isMissing(state.businesses, businessId) && !index.isNewBusiness(businessId))
      return [{ path: place, message: `there is no business ${businessId}` }];
    if (home === undefined || home === corporateGroupName || ending.has(home) || leftBy.get(home) !== undefined)
      return [];
    return [
      {
        path: place,
        message: `the business ${businessId} is in the corporate group ${home}, which the documents leave as it is`,
      },
    ];
  });
}

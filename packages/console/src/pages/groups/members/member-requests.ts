/** The requests that add and remove members, and the commands that do the same. */
import type { ControlData } from '../../../api/clients.ts';
import type { AccessTarget } from '../../../api/permissions.ts';
import type { ApiRequest } from '../../../api/requests.ts';
import { quotePositional } from '../../../components/equivalents.tsx';

export type GroupMember = ControlData<'/groups/{id}/members'>[number];
export type GroupMemberKind = GroupMember['kind'];

/** A member that is complete for its kind. */
export interface MemberReference {
  readonly kind: GroupMemberKind;
  /** Of the user, the business or the service account. */
  readonly id: string;
  readonly name?: string | undefined;
  /** The business on whose behalf the user is a member. */
  readonly businessId?: string;
  readonly businessName?: string | undefined;
}

/** The subject of an entry in the list of members; a service account has no other name than its id. */
export function toMemberReference(member: GroupMember): MemberReference {
  const { kind, userId = '', userName, businessId = '', businessName, serviceId = '' } = member;
  if (kind === 'service') return { kind, id: serviceId, name: serviceId };
  if (kind === 'business') return { kind, id: businessId, name: businessName };
  const user = { kind, id: userId, name: userName };
  return kind === 'user' ? user : { ...user, businessId, businessName };
}

/** The operations that these functions send. */
export const memberOperations = {
  add: {
    user: 'user-accesses.add-user',
    business: 'business-accesses.add-business',
    businessUser: 'user-accesses.add-business-user',
    service: 'service-accesses.add-service',
  },
  remove: {
    user: 'user-accesses.remove-user',
    business: 'business-accesses.remove-business',
    businessUser: 'user-accesses.remove-business-user',
    service: 'service-accesses.remove-service',
  },
} as const satisfies Record<'add' | 'remove', Record<GroupMemberKind, AccessTarget>>;

export function addMemberRequest(groupId: string, { kind, id, businessId = '' }: MemberReference): ApiRequest {
  return ({ service }) => {
    switch (kind) {
      case 'user': {
        const params = { path: { groupName: groupId } };
        return service.POST('/user-accesses/{groupName}/user-accounts', { params, body: [{ userId: id }] });
      }
      case 'business': {
        const params = { path: { groupId } };
        return service.POST('/business-accesses/{groupId}/business-accounts', { params, body: [{ businessId: id }] });
      }
      case 'service': {
        const params = { path: { groupId } };
        return service.POST('/service-accesses/{groupId}/service-accounts', { params, body: [{ serviceId: id }] });
      }
      case 'businessUser': {
        const params = { path: { groupName: groupId, businessId } };
        const path = '/user-accesses/{groupName}/business-accounts/{businessId}/user-accounts';
        return service.POST(path, { params, body: [{ userId: id }] });
      }
    }
  };
}

export function removeMemberRequest(groupId: string, { kind, id, businessId = '' }: MemberReference): ApiRequest {
  return ({ service }) => {
    switch (kind) {
      case 'user': {
        const params = { path: { groupName: groupId, userId: id } };
        return service.DELETE('/user-accesses/{groupName}/user-accounts/{userId}', { params });
      }
      case 'business': {
        const params = { path: { groupId, businessId: id } };
        return service.DELETE('/business-accesses/{groupId}/business-accounts/{businessId}', { params });
      }
      case 'service': {
        const params = { path: { groupId, serviceId: id } };
        return service.DELETE('/service-accesses/{groupId}/service-accounts/{serviceId}', { params });
      }
      case 'businessUser': {
        const params = { path: { groupName: groupId, businessId, userId: id } };
        const path = '/user-accesses/{groupName}/business-accounts/{businessId}/user-accounts/{userId}';
        return service.DELETE(path, { params });
      }
    }
  };
}

const nouns: Readonly<Record<GroupMemberKind, string>> = {
  user: 'users',
  business: 'businesses',
  businessUser: 'business-users',
  service: 'services',
};

type MemberAction = 'add' | 'remove';

export function formatMemberCommand(action: MemberAction, groupName: string, member: MemberReference): string {
  return formatMemberCommands(action, groupName, [member]).join('');
}

/** A command for each kind of member, and for each business on whose behalf they are members. */
export function formatMemberCommands(
  action: MemberAction,
  groupName: string,
  members: readonly MemberReference[],
): readonly string[] {
  const commands = new Map<string, string[]>();
  for (const { kind, id, businessId } of members) {
    const words = kind === 'businessUser' && businessId !== undefined ? [groupName, businessId] : [groupName];
    const key = JSON.stringify([kind, ...words]);
    const names = commands.get(key) ?? words;
    names.push(id);
    commands.set(key, names);
  }
  return [...commands].map(([key, names]) => {
    const [kind] = JSON.parse(key) as [GroupMemberKind];
    return `groups ${nouns[kind]} ${action === 'add' ? 'add' : 'remove --yes'} ${quotePositional(...names)}`;
  });
}

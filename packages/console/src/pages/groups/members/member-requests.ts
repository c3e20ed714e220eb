/** The requests that add and remove members, and the commands that do the same. */
import type { ControlData } from '../../../api/clients.ts';
import type { AccessTarget } from '../../../api/permissions.ts';
import type { ApiRequest } from '../../../api/requests.ts';
import { quotePositional } from '../../../components/equivalents.tsx';

export type GroupMember = ControlData<'/groups/{id}/members'>[number];
export type GroupMemberKind = GroupMember['kind'];

/** The id of a member, as the service knows it. */
export function memberIdOf({ kind, userId, businessId, serviceId }: GroupMember): string {
  if (kind === 'service') return serviceId ?? '';
  return (kind === 'business' ? businessId : userId) ?? '';
}

/** A member that is complete for its kind. */
export interface MemberReference {
  readonly kind: GroupMemberKind;
  /** Of the user, the business or the service account. */
  readonly id: string;
  /** The business on whose behalf the user is a member. */
  readonly businessId?: string;
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

export function formatMemberCommand(action: 'add' | 'remove', groupName: string, member: MemberReference): string {
  const { kind, id, businessId } = member;
  const names = [groupName, ...(businessId === undefined ? [] : [businessId]), id];
  return `groups ${nouns[kind]} ${action === 'add' ? 'add' : 'remove --yes'} ${quotePositional(...names)}`;
}

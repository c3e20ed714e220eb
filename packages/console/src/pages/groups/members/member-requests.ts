/** The requests that add and remove members, and the commands that do the same. */

import type { ServiceClient } from '../../../api/clients.ts';
import { unwrap } from '../../../api/errors.ts';
import type { AccessTarget } from '../../../api/permissions.ts';
import { type HttpCall, quoteShellArgument } from '../../../components/equivalents.tsx';
import type { GroupMember } from '../detail/member-list.tsx';

export type GroupMemberKind = GroupMember['kind'];

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

interface GroupReferenceFields {
  readonly groupId: string;
  readonly groupName: string;
}

export function addGroupMember(
  service: ServiceClient,
  groupId: string,
  { kind, id, businessId = '' }: MemberReference,
) {
  const group = { path: { groupId } };
  switch (kind) {
    case 'user': {
      const params = { path: { groupName: groupId } };
      return unwrap(service.POST('/user-accesses/{groupName}/user-accounts', { params, body: [{ userId: id }] }));
    }
    case 'business': {
      const body = [{ businessId: id }];
      return unwrap(service.POST('/business-accesses/{groupId}/business-accounts', { params: group, body }));
    }
    case 'service': {
      const body = [{ serviceId: id }];
      return unwrap(service.POST('/service-accesses/{groupId}/service-accounts', { params: group, body }));
    }
    case 'businessUser': {
      const params = { path: { groupName: groupId, businessId } };
      const path = '/user-accesses/{groupName}/business-accounts/{businessId}/user-accounts';
      return unwrap(service.POST(path, { params, body: [{ userId: id }] }));
    }
  }
}

export function removeGroupMember(
  service: ServiceClient,
  groupId: string,
  { kind, id, businessId = '' }: MemberReference,
) {
  switch (kind) {
    case 'user': {
      const params = { path: { groupName: groupId, userId: id } };
      return unwrap(service.DELETE('/user-accesses/{groupName}/user-accounts/{userId}', { params }));
    }
    case 'business': {
      const params = { path: { groupId, businessId: id } };
      return unwrap(service.DELETE('/business-accesses/{groupId}/business-accounts/{businessId}', { params }));
    }
    case 'service': {
      const params = { path: { groupId, serviceId: id } };
      return unwrap(service.DELETE('/service-accesses/{groupId}/service-accounts/{serviceId}', { params }));
    }
    case 'businessUser': {
      const params = { path: { groupName: groupId, businessId, userId: id } };
      const path = '/user-accesses/{groupName}/business-accounts/{businessId}/user-accounts/{userId}';
      return unwrap(service.DELETE(path, { params }));
    }
  }
}

const resources: Readonly<Record<GroupMemberKind, string>> = {
  user: 'users',
  business: 'businesses',
  businessUser: 'business-users',
  service: 'services',
};

const bodyFields = { user: 'userId', business: 'businessId', businessUser: 'userId', service: 'serviceId' } as const;

/** The command and the call that add the member, or remove it. */
export function formatMemberEquivalents(
  action: 'add' | 'remove',
  { groupId, groupName }: GroupReferenceFields,
  { kind, id, businessId }: MemberReference,
): { command: string; call: HttpCall } {
  const names = [groupName, ...(businessId === undefined ? [] : [businessId]), id].map(quoteShellArgument);
  const command = `groups ${resources[kind]} ${action} ${names.join(' ')}`;
  const path = `/security/iam/v1/${memberPathOf(kind, groupId, businessId)}`;
  if (action === 'add') return { command, call: { method: 'POST', path, body: [{ [bodyFields[kind]]: id }] } };
  return { command: `${command} --yes`, call: { method: 'DELETE', path: `${path}/${encodeURIComponent(id)}` } };
}

function memberPathOf(kind: GroupMemberKind, groupId: string, businessId = ''): string {
  switch (kind) {
    case 'user':
      return `user-accesses/${groupId}/user-accounts`;
    case 'business':
      return `business-accesses/${groupId}/business-accounts`;
    case 'service':
      return `service-accesses/${groupId}/service-accounts`;
    case 'businessUser':
      return `user-accesses/${groupId}/business-accounts/${encodeURIComponent(businessId)}/user-accounts`;
  }
}

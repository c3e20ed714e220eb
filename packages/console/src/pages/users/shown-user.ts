/** A user as its page shows it. */
import type { ControlData } from '../../api/clients.ts';
import { usePermission } from '../../api/use-permission.ts';
import { useRead } from '../../api/use-read.ts';

export type ShownUser = ControlData<'/users/{id}'>;

/** Queries about users, and about the groups whose members they are. */
export const userQueries = ['users', 'groups'];

/** The main contacts in full, which the control plane masks; undefined for callers that may not read them. */
export function useMainContacts(userId: string) {
  const { isAllowed, isAssumed = false } = usePermission('user-identities.get');
  const params = { path: { id: userId } };
  const { data } = useRead(
    ['users', 'contacts', userId],
    ({ service }, signal) => service.GET('/user-identities/{id}', { params, signal }),
    { enabled: isAllowed && !isAssumed, retry: false },
  );
  return data;
}

export function toMobileText({ regionCode, areaCode, phoneNumber }: Readonly<Record<string, unknown>>): string {
  return `+${regionCode} ${areaCode} ${phoneNumber}`;
}

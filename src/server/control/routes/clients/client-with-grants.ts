/** A client with its groups and effective roles. */
import { apiError } from '../../../../contract/errors.ts';
import { resolveClientAuthorities } from '../../../directory/service-roles.ts';
import type { Reader } from '../../../store/store.ts';
import type { Client } from '../../../store/tables.ts';
import { memberGrantFields, readMemberGrants } from '../../member-grants.ts';
import { ClientItem, toClientItems } from './client-item.ts';

export const ClientWithGrants = ClientItem.extend({
  ...memberGrantFields,
  effectiveRoles: memberGrantFields.effectiveRoles.describe(
    'Authorities of the client itself: its own, and the roles of its service account; sorted; the first 1000',
  ),
});

export async function readClientWithGrants(reader: Reader, client: Client, now: Date) {
  const { serviceAccountId } = client;
  const members = serviceAccountId === undefined ? [] : [{ kind: 'service', memberId: serviceAccountId } as const];
  const grants = await readMemberGrants(reader, members, () => resolveClientAuthorities(reader, client));
  const [item] = await toClientItems(reader, [client], now);
  if (!item) throw apiError('CLIENT_NOT_FOUND');
  return { ...item, ...grants };
}

/** What a client may do, and whether it may call at all. */
import type { Reader } from '../store/store.ts';
import type { Client } from '../store/tables.ts';
import { effectiveRoles, groupsOfMember } from './effective-roles.ts';

type ClientReader = Pick<Reader, 'groups' | 'memberships'>;

/** The role that tells the party of a client. */
export function partyRole(client: Client): string {
  return `CLI-${client.party}`;
}

/** What every proven client has besides its own authorities. */
export function provenRoles(client: Client): string[] {
  return ['CLI-AUTH-IDENTIFIED', 'CLI-AUTH-BASIC', partyRole(client)];
}

/** The authorities that belong to the client itself: given ones, and with a service account those of its groups. */
export async function ownAuthorities(reader: ClientReader, client: Client): Promise<Set<string>> {
  if (client.serviceAccountId === undefined) return new Set(client.authorities);
  const groupIds = await groupsOfMember(reader, { kind: 'service', memberId: client.serviceAccountId });
  return new Set([...client.authorities, 'AUTH-BASIC', ...(await effectiveRoles(reader, groupIds))]);
}

/** Every role of a client that has proven itself. */
export async function rolesOfProvenClient(reader: ClientReader, client: Client): Promise<Set<string>> {
  const roles = await ownAuthorities(reader, client);
  for (const role of provenRoles(client)) roles.add(role);
  return roles;
}

/** False where the user or the business that owns the client is gone, or the user is locked: it does not authenticate then. */
export async function ownerInForce(reader: Pick<Reader, 'users' | 'businesses'>, client: Client): Promise<boolean> {
  if (client.userId !== undefined) {
    const user = await reader.users.get(client.userId);
    if (!user || user.locked) return false;
  }
  return client.businessId === undefined || (await reader.businesses.get(client.businessId)) !== undefined;
}

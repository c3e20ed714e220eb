/** Remote state read from a server. Absent parts have not been read; see `computeRefreshScope`. */
import type { Member } from './members.ts';

export interface RemoteGroup {
  readonly groupId: string;
  readonly groupName: string;
  readonly organizationId?: string | undefined;
  readonly businessUnitId?: string | undefined;
  readonly roles: readonly string[];
  /** Names of groups. */
  readonly dependencies: readonly string[];
}

export interface RemoteClient {
  readonly clientId: string;
  readonly appId: string;
  readonly serviceAccountId?: string | undefined;
  readonly authorities?: readonly string[] | undefined;
  readonly [field: string]: unknown;
}

export interface RemoteApiKey {
  readonly apiKeyId: string;
  readonly appId: string;
  readonly clientId: string;
}

export interface RemoteCorporateGroup {
  readonly corporateGroupId: string;
  readonly corporateGroupName: string;
  readonly organizationId?: string | undefined;
  readonly businesses: readonly string[];
}

export interface RemoteBusiness {
  readonly businessId: string;
  readonly customerId?: number | undefined;
  readonly [field: string]: unknown;
}

export interface RemoteCustomer {
  readonly customerId: number;
  readonly document: string;
  readonly userId?: string | undefined;
  readonly businessId?: string | undefined;
  readonly name?: string | undefined;
}

export interface RemoteUser {
  readonly userId: string;
  /** Null if the user has no business; absent if unknown. */
  readonly businessId?: string | null | undefined;
  readonly userName?: string | undefined;
  /** False if another person could have chosen the user name. */
  readonly nameVerified?: boolean | undefined;
}

/** Resources by id; undefined if the lookup found nothing. */
type Lookup<Resource> = ReadonlyMap<string, Resource | undefined>;

export interface RemoteState {
  readonly groups?: ReadonlyMap<string, RemoteGroup>;
  /** By the name of the group, then by the key of the member. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, Member>>;
  /** Groups whose business users are not known: without the control plane they are listed per business only. */
  readonly partialMembers: ReadonlySet<string>;
  readonly clients?: readonly RemoteClient[];
  readonly apiKeys?: readonly RemoteApiKey[];
  readonly corporateGroups?: readonly RemoteCorporateGroup[];
  readonly customers?: readonly RemoteCustomer[];
  readonly businesses: Lookup<RemoteBusiness>;
  readonly users: Lookup<RemoteUser>;
  readonly services: Lookup<true>;
  /** The lookups that contain the whole list of the server. */
  readonly wholeLists: ReadonlySet<'users' | 'businesses'>;
  /** All roles of services whose clients are deleted. */
  readonly serviceRoles: ReadonlyMap<string, readonly string[]>;
}

export const emptyRemoteState: RemoteState = {
  members: new Map(),
  partialMembers: new Set(),
  businesses: new Map(),
  users: new Map(),
  services: new Map(),
  wholeLists: new Set(),
  serviceRoles: new Map(),
};

/** Whether a lookup found nothing; ids that were not looked up are not missing. */
export function isMissing(lookup: Lookup<unknown>, id: string): boolean {
  return lookup.has(id) && lookup.get(id) === undefined;
}

/** Returns the members of a group; empty if the group does not exist yet. */
export function getGroupMembers(state: Pick<RemoteState, 'members'>, groupName: string): ReadonlyMap<string, Member> {
  return state.members.get(groupName) ?? new Map();
}

/** The caller that applies the plan, as known from its token. */
export interface PlanCaller {
  readonly userId?: string | undefined;
  readonly businessId?: string | undefined;
  readonly serviceId?: string | undefined;
  readonly clientId?: string | undefined;
  /** Authorities of the calling client, independent of groups. */
  readonly authorities?: readonly string[] | undefined;
}

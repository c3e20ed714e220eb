/** What was read of a server. What was not read is not there to be looked at: `unread` says what planning still needs. */
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
  /** Null where the user is of none; absent where that is not known. */
  readonly businessId?: string | null | undefined;
}

/** Things by their ids; nothing where it was asked for and is not there. */
type Lookup<Thing> = ReadonlyMap<string, Thing | undefined>;

export interface RemoteState {
  readonly groups?: ReadonlyMap<string, RemoteGroup>;
  /** By the name of the group, then by the key of the member. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, Member>>;
  readonly clients?: readonly RemoteClient[];
  readonly apiKeys?: readonly RemoteApiKey[];
  readonly corporateGroups?: readonly RemoteCorporateGroup[];
  readonly customers?: readonly RemoteCustomer[];
  readonly businesses: Lookup<RemoteBusiness>;
  readonly users: Lookup<RemoteUser>;
  readonly services: Lookup<true>;
  /** All roles of services whose clients go. */
  readonly serviceRoles: ReadonlyMap<string, readonly string[]>;
}

export const emptyRemoteState: RemoteState = {
  members: new Map(),
  businesses: new Map(),
  users: new Map(),
  services: new Map(),
  serviceRoles: new Map(),
};

/** The members of a group; none where the group is not there yet. */
export function getGroupMembers(state: Pick<RemoteState, 'members'>, groupName: string): ReadonlyMap<string, Member> {
  return state.members.get(groupName) ?? new Map();
}

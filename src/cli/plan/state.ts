/** What was read of a server. What was not read is not there to be looked at: `unread` says what planning still needs. */
import type { Member } from './members.ts';

export interface GroupState {
  readonly groupId: string;
  readonly groupName: string;
  readonly organizationId?: string | undefined;
  readonly businessUnitId?: string | undefined;
  readonly roles: readonly string[];
  /** Names of groups. */
  readonly dependencies: readonly string[];
}

export interface ClientState {
  readonly clientId: string;
  readonly appId: string;
  readonly serviceAccountId?: string | undefined;
  readonly authorities?: readonly string[] | undefined;
  readonly [field: string]: unknown;
}

export interface ApiKeyState {
  readonly apiKeyId: string;
  readonly appId: string;
  readonly clientId: string;
}

export interface CorporateGroupState {
  readonly corporateGroupId: string;
  readonly corporateGroupName: string;
  readonly organizationId?: string | undefined;
  readonly businesses: readonly string[];
}

export interface BusinessState {
  readonly businessId: string;
  readonly customerId?: number | undefined;
  readonly [field: string]: unknown;
}

export interface CustomerState {
  readonly customerId: number;
  readonly document: string;
  readonly userId?: string | undefined;
  readonly businessId?: string | undefined;
  readonly name?: string | undefined;
}

export interface UserState {
  readonly userId: string;
  /** Null where the user is of none; absent where that is not known. */
  readonly businessId?: string | null | undefined;
}

/** Things by their ids; nothing where it was asked for and is not there. */
type Looked<Thing> = ReadonlyMap<string, Thing | undefined>;

export interface State {
  readonly groups?: ReadonlyMap<string, GroupState>;
  /** By the name of the group, then by the key of the member. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, Member>>;
  readonly clients?: readonly ClientState[];
  readonly apiKeys?: readonly ApiKeyState[];
  readonly corporateGroups?: readonly CorporateGroupState[];
  readonly customers?: readonly CustomerState[];
  readonly businesses: Looked<BusinessState>;
  readonly users: Looked<UserState>;
  readonly services: Looked<true>;
  /** All roles of services whose clients go. */
  readonly serviceRoles: ReadonlyMap<string, readonly string[]>;
}

export const nothingRead: State = {
  members: new Map(),
  businesses: new Map(),
  users: new Map(),
  services: new Map(),
  serviceRoles: new Map(),
};

/** The members of a group; none where the group is not there yet. */
export function membersIn(state: Pick<State, 'members'>, groupName: string): ReadonlyMap<string, Member> {
  return state.members.get(groupName) ?? new Map();
}

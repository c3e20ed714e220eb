/** What a plan changes, as data that is printed, saved and carried out. */
import type { Member } from './members.ts';
import type { RemoteApiKey, RemoteClient, RemoteCorporateGroup, RemoteGroup } from './remote-state.ts';

export interface FieldChange {
  readonly field: string;
  /** Of a single value: what it was and what it will be; absent where there is none. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** Of a list: what joins it and what leaves it. */
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
}

export type ResourceKind = 'group' | 'client' | 'apiKey' | 'corporateGroup' | 'customer';

export interface ResourceChange {
  readonly action: 'create' | 'update' | 'delete';
  readonly kind: ResourceKind;
  /** As people call it. */
  readonly name: string;
  /** Where the server has one. */
  readonly id?: string;
  readonly fields: readonly FieldChange[];
}

export interface GroupChange extends ResourceChange {
  readonly kind: 'group';
  readonly before?: RemoteGroup | undefined;
  readonly after?: Omit<RemoteGroup, 'groupId'> | undefined;
  readonly joining: readonly Member[];
  readonly leaving: readonly Member[];
}

export interface ClientChange extends ResourceChange {
  readonly kind: 'client';
  readonly before?: RemoteClient;
  /** What a new client is made of, or where one moves to. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ApiKeyChange extends ResourceChange {
  readonly kind: 'apiKey';
  readonly before?: RemoteApiKey;
  readonly appId: string;
  /** The client, or the service account of one that is made first. */
  readonly clientId?: string | undefined;
  readonly serviceAccountId?: string | undefined;
}

export interface CorporateGroupChange extends ResourceChange {
  readonly kind: 'corporateGroup';
  readonly before?: RemoteCorporateGroup;
  readonly after?: Omit<RemoteCorporateGroup, 'corporateGroupId'>;
}

export interface CustomerChange extends ResourceChange {
  readonly kind: 'customer';
  readonly operation: 'customers.create-business' | 'customers.create-user';
  readonly body: Readonly<Record<string, unknown>>;
}

export type AnyChange = GroupChange | ClientChange | ApiKeyChange | CorporateGroupChange | CustomerChange;

/** The change of one value, or nothing where it stays. */
export function diffValue(field: string, before: unknown, after: unknown): FieldChange[] {
  if (before === after) return [];
  return [{ field, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];
}

/** The change of a list whose order says nothing, or nothing where it has the same entries. */
export function diffList(field: string, before: readonly string[], after: readonly string[]): FieldChange[] {
  const [old, now] = [new Set(before), new Set(after)];
  const added = [...now].filter((entry) => !old.has(entry)).sort();
  const removed = [...old].filter((entry) => !now.has(entry)).sort();
  return added.length + removed.length === 0 ? [] : [{ field, added, removed }];
}

/** The value of a field that a document gives: null clears it, and what is not given stays. */
export function resolveValue<Value>(desired: Value | null | undefined, current: Value | undefined): Value | undefined {
  return desired === undefined ? current : (desired ?? undefined);
}

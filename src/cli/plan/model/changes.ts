/** Changes of a plan and the steps of an apply, as data that is printed, saved and executed. */

import { canonicalJson } from '../../../lib/canonical-json.ts';
import { isSame } from '../../request/differences.ts';
import type { Member } from './members.ts';
import type { RemoteApiKey, RemoteClient, RemoteCorporateGroup, RemoteGroup } from './remote-state.ts';

export interface FieldChange {
  readonly field: string;
  /** Old and new value of a single value; absent if not set. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** Added and removed entries of a list. */
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
}

export type ResourceKind = 'group' | 'client' | 'apiKey' | 'corporateGroup' | 'customer';

export interface ResourceChange {
  readonly action: 'create' | 'update' | 'delete';
  readonly kind: ResourceKind;
  /** Display name. */
  readonly name: string;
  /** Id on the server, if the resource exists. */
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
  /** Fields of the client to create, or what changes: `target`, where it moves, and its lists. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ApiKeyChange extends ResourceChange {
  readonly kind: 'apiKey';
  readonly before?: RemoteApiKey;
  readonly appId: string;
  /** Existing client, or service account of a client that the same plan creates. */
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

export function selectChanges<Kind extends ResourceKind>(
  changes: readonly AnyChange[],
  kind: Kind,
): Extract<AnyChange, { kind: Kind }>[] {
  return changes.filter((change): change is Extract<AnyChange, { kind: Kind }> => change.kind === kind);
}

export function isRemoval({ action }: Pick<ResourceChange, 'action'>): boolean {
  return action === 'delete';
}

/** A desired change that cannot be applied. */
export interface PlanIssue {
  readonly path: string;
  readonly message: string;
}

/** The changes of some entries, and those that the API does not support. */
export interface DiffResult<Change> {
  readonly changes: readonly Change[];
  readonly issues: readonly PlanIssue[];
}

/** The changes of an entry that can be applied. */
export function acceptChanges<Change>(changes: readonly Change[]): DiffResult<Change> {
  return { changes, issues: [] };
}

/** An entry that cannot be applied, for a reason. */
export function rejectEntry(path: string, message: string): DiffResult<never> {
  return { changes: [], issues: [{ path, message }] };
}

/** Joins the results of several entries. */
export function joinResults<Change>(results: readonly DiffResult<Change>[]): DiffResult<Change> {
  return { changes: results.flatMap(({ changes }) => changes), issues: results.flatMap(({ issues }) => issues) };
}

/** Writes one change, or a part of it. */
export type Step =
  | { readonly kind: 'customer'; readonly change: CustomerChange }
  | { readonly kind: 'client'; readonly change: ClientChange }
  | { readonly kind: 'apiKey'; readonly change: ApiKeyChange }
  /** With `release` only removals are applied, so that the removed entries can be used elsewhere. */
  | { readonly kind: 'corporateGroup'; readonly change: CorporateGroupChange; readonly release: boolean }
  | { readonly kind: 'group'; readonly change: GroupChange; readonly release: boolean }
  | MembershipStep;

/** Adds members to a group, or removes one. */
export type MembershipStep =
  | {
      readonly kind: 'membership';
      readonly action: 'join';
      readonly group: string;
      readonly members: readonly Member[];
    }
  | { readonly kind: 'membership'; readonly action: 'leave'; readonly group: string; readonly member: Member };

/** Returns the change of a single value; empty if it is unchanged. */
export function diffValue(field: string, before: unknown, after: unknown): FieldChange[] {
  if (before === after) return [];
  return [{ field, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];
}

/** Returns the change of an unordered list; empty if it has the same entries. */
export function diffList(field: string, before: readonly string[], after: readonly string[]): FieldChange[] {
  const [old, now] = [new Set(before), new Set(after)];
  const added = [...now].filter((entry) => !old.has(entry)).sort();
  const removed = [...old].filter((entry) => !now.has(entry)).sort();
  return added.length + removed.length === 0 ? [] : [{ field, added, removed }];
}

/** Whether two values are the same; the order of a list does not matter. */
export function isSameUnordered(one: unknown, other: unknown): boolean {
  return isSame(sortEntries(one), sortEntries(other));
}

function sortEntries(value: unknown): unknown {
  return Array.isArray(value) ? value.map((entry) => canonicalJson(entry)).sort() : value;
}

/** Resolves a desired value: null clears the field, undefined keeps the current value. */
export function resolveValue<Value>(desired: Value | null | undefined, current: Value | undefined): Value | undefined {
  return desired === undefined ? current : (desired ?? undefined);
}

/** Merges planned changes into entities, and updates and deletes them with If-Match (RFC 9110), so that concurrent changes are never overwritten. */

import type { RequestContext } from '../../context.ts';
import { repeatOnChange, tryOperation } from '../../request/call-operation.ts';
import { createStaleError, type Execution } from '../execution.ts';
import { type FieldChange, isSameUnordered } from '../model/changes.ts';

type EntityBody = Readonly<Record<string, unknown>>;

export interface Entity {
  /** `group ops`, for messages. */
  readonly title: string;
  readonly get: string;
  readonly update: string;
  readonly remove: string;
  readonly params: Readonly<Record<string, string>>;
  readonly missing: string;
  /** Converts a response to plain lists, and back to a request body. */
  plain(body: EntityBody): EntityBody;
  body(merged: EntityBody): EntityBody;
}

/** Reads, merges and writes with the ETag; repeats all after a concurrent change. */
export function updateEntity({ context }: Execution, entity: Entity, fields: readonly FieldChange[]): Promise<void> {
  return repeatOnChange(context, async () => {
    const current = await readEntity(context, entity);
    if (!current) throw createMissingError(entity);
    const { merged, isChanged, conflicts } = mergeChanges(current.fields, fields);
    if (conflicts.length > 0)
      throw createStaleError(`${entity.title} has an unexpected value of ${conflicts.join(', ')}`);
    if (!isChanged) return;
    const input = { params: entity.params, body: entity.body(merged), ifMatch: current.etag };
    // It can be deleted between the read and the write.
    if (!(await tryOperation(context, entity.update, input, entity.missing))) throw createMissingError(entity);
  });
}

function createMissingError({ title }: Entity): Error {
  return createStaleError(`${title} no longer exists`);
}

/** Deletes an entity that is unchanged since the plan. Ignores an entity that no longer exists. */
export async function removeEntity({ context }: Execution, entity: Entity, before: EntityBody): Promise<void> {
  const current = await readEntity(context, entity);
  if (!current) return;
  const { fields, etag } = current;
  const same = Object.keys({ ...before, ...fields }).every((field) => isSameUnordered(before[field], fields[field]));
  if (!same) throw createStaleError(`${entity.title} has changed`);
  await tryOperation(context, entity.remove, { params: entity.params, ifMatch: etag }, entity.missing);
}

async function readEntity(context: RequestContext, { get, params, missing, plain }: Entity) {
  const response = await tryOperation(context, get, { params }, missing);
  return response && { fields: plain((response.body ?? {}) as EntityBody), etag: response.headers.etag };
}

export interface MergeResult {
  readonly merged: EntityBody;
  /** Whether a write is needed. */
  readonly isChanged: boolean;
  /** Fields whose current value differs from the planned before and after values. */
  readonly conflicts: readonly string[];
}

/** Adds and removes list entries; sets a single value only if it is unchanged since the plan. */
export function mergeChanges(current: EntityBody, changes: readonly FieldChange[]): MergeResult {
  const merged: Record<string, unknown> = { ...current };
  const conflicts: string[] = [];
  for (const change of changes) {
    const { field, before, after } = change;
    if (change.added || change.removed)
      merged[field] = mergeList(current[field] as readonly string[] | undefined, change);
    else if (current[field] === before || current[field] === after) merged[field] = after;
    else conflicts.push(field);
  }
  const isChanged = changes.some(({ field }) => !isSameUnordered(current[field], merged[field]));
  return { merged, isChanged, conflicts };
}

function mergeList(current: readonly string[] = [], { added = [], removed = [] }: FieldChange): string[] {
  const removedEntries = new Set(removed);
  return [...new Set([...current, ...added])].filter((entry) => !removedEntries.has(entry));
}

/** Updates and removals of what has a tag: nothing that somebody else changed is written over. */
import type { FieldChange } from './changes.ts';
import { createStaleError, type Execution, unwrapResult } from './executor.ts';
import { mergeChanges } from './three-way-merge.ts';

/** Of writers at the same time one always gets through, so this many can meet. */
const maxAttempts = 10;

type EntityBody = Readonly<Record<string, unknown>>;

export interface Entity {
  /** `group ops`, for messages. */
  readonly title: string;
  readonly get: string;
  readonly update: string;
  readonly remove: string;
  readonly params: Readonly<Record<string, string>>;
  readonly missing: string;
  /** From what the server sends to plain lists, and back to what it takes. */
  plain(body: EntityBody): EntityBody;
  body(merged: EntityBody): EntityBody;
}

/** Reads, merges and writes with the tag; starts again where somebody was faster. */
export async function updateEntity({ deps }: Execution, entity: Entity, fields: readonly FieldChange[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const read = await deps.call(entity.get, { params: entity.params });
    const body = unwrapResult(read, entity.missing);
    if (!body) throw createStaleError(deps, `${entity.title} is not there any more`);
    const { merged, isChanged: differs, conflicts } = mergeChanges(entity.plain(body), fields);
    if (conflicts.length > 0)
      throw createStaleError(deps, `${entity.title} has another ${conflicts.join(', ')} than expected`);
    if (!differs) return;
    const written = await deps.call(entity.update, {
      params: entity.params,
      body: entity.body(merged),
      ifMatch: read.etag,
    });
    // Removed between reading and writing: reading again tells.
    const isStale = written.code === 'CHANGED_MEANWHILE' || written.code === entity.missing;
    if (!isStale || attempt >= maxAttempts) return void unwrapResult(written);
  }
}

/** Removes what still is as the plan saw it. What is gone already is no fault. */
export async function removeEntity({ deps }: Execution, entity: Entity, before: EntityBody): Promise<void> {
  const read = await deps.call(entity.get, { params: entity.params });
  const body = unwrapResult(read, entity.missing);
  if (!body) return;
  const now = entity.plain(body);
  const same = Object.keys({ ...before, ...now }).every((field) => text(before[field]) === text(now[field]));
  if (!same) throw createStaleError(deps, `${entity.title} is not as it was`);
  unwrapResult(await deps.call(entity.remove, { params: entity.params, ifMatch: read.etag }), entity.missing);
}

function text(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? [...value].sort() : value) ?? '';
}

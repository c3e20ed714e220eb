/** Updates and removals of what has a tag: nothing that somebody else changed is written over. */
import type { FieldChange } from './changes.ts';
import { type Execution, expected, stale } from './executor.ts';
import { mergeInto } from './merging.ts';

/** Of writers at the same time one always gets through, so this many can meet. */
const attempts = 10;

type Thing = Readonly<Record<string, unknown>>;

export interface Entity {
  /** `group ops`, for messages. */
  readonly title: string;
  readonly get: string;
  readonly update: string;
  readonly remove: string;
  readonly params: Readonly<Record<string, string>>;
  readonly missing: string;
  /** From what the server sends to plain lists, and back to what it takes. */
  plain(body: Thing): Thing;
  body(thing: Thing): Thing;
}

/** Reads, merges and writes with the tag; starts again where somebody was faster. */
export async function updateEntity(
  { tools }: Execution,
  entity: Entity,
  fields: readonly FieldChange[],
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const read = await tools.call(entity.get, { params: entity.params });
    const body = expected(read, entity.missing);
    if (!body) throw stale(tools, `${entity.title} is not there any more`);
    const { thing, differs, conflicts } = mergeInto(entity.plain(body), fields);
    if (conflicts.length > 0) throw stale(tools, `${entity.title} has another ${conflicts.join(', ')} than expected`);
    if (!differs) return;
    const written = await tools.call(entity.update, {
      params: entity.params,
      body: entity.body(thing),
      ifMatch: read.etag,
    });
    // Removed between reading and writing: reading again tells.
    const isStale = written.code === 'CHANGED_MEANWHILE' || written.code === entity.missing;
    if (!isStale || attempt >= attempts) return void expected(written);
  }
}

/** Removes what still is as the plan saw it. What is gone already is no fault. */
export async function removeEntity({ tools }: Execution, entity: Entity, before: Thing): Promise<void> {
  const read = await tools.call(entity.get, { params: entity.params });
  const body = expected(read, entity.missing);
  if (!body) return;
  const now = entity.plain(body);
  const same = Object.keys({ ...before, ...now }).every((field) => text(before[field]) === text(now[field]));
  if (!same) throw stale(tools, `${entity.title} is not as it was`);
  expected(await tools.call(entity.remove, { params: entity.params, ifMatch: read.etag }), entity.missing);
}

function text(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? [...value].sort() : value) ?? '';
}

/** Merges planned changes into the current entity, so that concurrent changes by others are preserved. Pure. */
import type { FieldChange } from './changes.ts';

type EntityBody = Readonly<Record<string, unknown>>;

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
  const isChanged = changes.some(({ field }) => !isSame(current[field], merged[field]));
  return { merged, isChanged, conflicts };
}

function mergeList(current: readonly string[] = [], { added = [], removed = [] }: FieldChange): string[] {
  const removedEntries = new Set(removed);
  return [...new Set([...current, ...added])].filter((entry) => !removedEntries.has(entry));
}

function isSame(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && [...a].sort().join('\n') === [...b].sort().join('\n');
}

/** Applies what a plan changes to what is there now, so that a change somebody else made meanwhile is kept. Pure. */
import type { FieldChange } from './changes.ts';

type EntityBody = Readonly<Record<string, unknown>>;

export interface MergeResult {
  readonly merged: EntityBody;
  /** Whether anything is left to write. */
  readonly isChanged: boolean;
  /** Fields that somebody else set to another value than the plan saw. */
  readonly conflicts: readonly string[];
}

/** Lists are added to and taken from; a single value is set only where it still is what the plan saw. */
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

/** Applies what a plan changes to what is there now, so that a change somebody else made meanwhile is kept. Pure. */
import type { FieldChange } from './changes.ts';

type Thing = Readonly<Record<string, unknown>>;

export interface Merged {
  readonly thing: Thing;
  /** Whether anything is left to write. */
  readonly differs: boolean;
  /** Fields that somebody else set to another value than the plan saw. */
  readonly conflicts: readonly string[];
}

/** Lists are added to and taken from; a single value is set only where it still is what the plan saw. */
export function mergeInto(current: Thing, changes: readonly FieldChange[]): Merged {
  const thing: Record<string, unknown> = { ...current };
  const conflicts: string[] = [];
  for (const change of changes) {
    const { field, before, after } = change;
    if (change.added || change.removed)
      thing[field] = mergedList(current[field] as readonly string[] | undefined, change);
    else if (current[field] === before || current[field] === after) thing[field] = after;
    else conflicts.push(field);
  }
  const differs = changes.some(({ field }) => !isSame(current[field], thing[field]));
  return { thing, differs, conflicts };
}

function mergedList(current: readonly string[] = [], { added = [], removed = [] }: FieldChange): string[] {
  const gone = new Set(removed);
  return [...new Set([...current, ...added])].filter((entry) => !gone.has(entry));
}

function isSame(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && [...a].sort().join('\n') === [...b].sort().join('\n');
}

/** What was typed in a form, and what others changed in its object meanwhile. */

export function pickChanged<Values extends object>(before: Values, after: Values): Partial<Values> {
  const entries = Object.entries(after).filter(([name, value]) => !isSame(value, before[name as keyof Values]));
  return Object.fromEntries(entries) as Partial<Values>;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Of lists, what was added and removed. */
export function mergeFields<Values extends object>(before: Values, typed: Values, current: Values): Values {
  const entries = Object.entries(current).map(([name, now]) => {
    const [was, mine] = [before, typed].map((values) => values[name as keyof Values] as unknown);
    if (isSame(was, mine)) return [name, now];
    return [name, Array.isArray(was) && Array.isArray(mine) && Array.isArray(now) ? mergeList(was, mine, now) : mine];
  });
  return Object.fromEntries(entries) as Values;
}

function mergeList(before: readonly unknown[], typed: readonly unknown[], current: readonly unknown[]): unknown[] {
  const kept = current.filter((entry) => typed.includes(entry) || !before.includes(entry));
  return [...kept, ...typed.filter((entry) => !before.includes(entry) && !current.includes(entry))];
}

/** One entry for the same difference in many cases: a header that a gateway removes differs in every response. */
import type { BaselineEntry, FoundDifference } from './baseline.ts';

/** In fewer cases, each has an entry of its own. */
const minGrouped = 4;

/** A difference in one case. */
export interface CaseDifference extends FoundDifference {
  readonly accepted: boolean;
  /** The reason of the baseline. */
  readonly reason?: string;
  /** A curl command that sends the request. */
  readonly reproduce: string;
}

/** A difference of one case, or the same one of several; `operation`, `case` and `reproduce` are those of the first. */
export interface ReportedDifference extends CaseDifference {
  /** Number of cases. */
  readonly cases: number;
  readonly where: readonly { readonly operation: string; readonly case: string }[];
  /** The entry of a baseline that accepts it. */
  readonly baseline: BaselineEntry;
}

/** Groups the differences; those in the most cases first, then in the order of the cases. */
export function groupDifferences(differences: readonly CaseDifference[]): ReportedDifference[] {
  const groups = new Map<string, CaseDifference[]>();
  for (const one of differences) {
    // A gateway removes a header of all operations; a status differs for a reason of its operation.
    const operation = one.aspect === 'header' ? undefined : one.operation;
    const key = JSON.stringify([operation, one.aspect, one.name, one.expected, one.seen, one.accepted, one.reason]);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  const isGrouped = (group: readonly CaseDifference[]) => group.length >= minGrouped;
  const grouped = [...groups.values()].filter(isGrouped).sort((a, b) => b.length - a.length);
  const inGroups = new Set(grouped.flat());
  const single = differences.filter((one) => !inGroups.has(one)).map((one) => [one]);
  return [...grouped, ...single].map(describeGroup);
}

function describeGroup(group: readonly CaseDifference[]): ReportedDifference {
  const [first] = group as [CaseDifference];
  const { operation, case: name, aspect, name: field, expected, seen } = first;
  const isOfOne = group.every((one) => one.operation === operation);
  const place = group.length === 1 ? { operation, case: name } : isOfOne ? { operation } : {};
  return {
    ...first,
    cases: group.length,
    where: group.map((one) => ({ operation: one.operation, case: one.case })),
    baseline: { ...place, aspect, ...(field === undefined ? {} : { name: field }), expected, seen },
  };
}

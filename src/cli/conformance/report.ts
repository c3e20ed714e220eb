/** The report of a run: counts by operation, differences, and what was not checked. */
import type { Manifest } from '../../contract/manifest-types.ts';
import { acceptsDifference, type BaselineEntry } from './baseline.ts';
import type { LeftOver } from './cleanup.ts';
import { type CaseDifference, groupDifferences, type ReportedDifference } from './group-differences.ts';
import type { CaseResult } from './run-suite.ts';
import { uncheckedReasons } from './unchecked.ts';

interface OperationResult {
  readonly operation: string;
  readonly cases: number;
  readonly same: number;
  readonly different: number;
  readonly accepted: number;
  readonly notChecked: number;
}

/** A case that was sent. */
interface CheckedCase {
  readonly operation: string;
  readonly case: string;
  /** The status that the reference returned. */
  readonly expectedStatus: number;
  readonly result: 'same' | 'different' | 'accepted';
}

export interface UncheckedCase {
  readonly operation: string;
  /** `normal result` if the suite has no case for it. */
  readonly case: string;
  readonly reason: string;
}

export interface ConformanceReport {
  readonly baseUrl: string;
  /** The version of this package, whose server is the reference. */
  readonly reference: string;
  readonly writes: boolean;
  readonly summary: Omit<OperationResult, 'operation'> & { readonly operations: number };
  readonly operations: readonly OperationResult[];
  readonly differences: readonly ReportedDifference[];
  readonly checked: readonly CheckedCase[];
  readonly notChecked: readonly UncheckedCase[];
  readonly staleBaseline: readonly BaselineEntry[];
  readonly leftOver: readonly LeftOver[];
}

export interface ReportInput {
  readonly manifest: Manifest;
  readonly baseUrl: string;
  readonly writes: boolean;
  /** The ids of the selected operations. */
  readonly selected: ReadonlySet<string>;
  readonly results: readonly CaseResult[];
  readonly baseline: readonly BaselineEntry[];
  readonly leftOver: readonly LeftOver[];
}

/** Builds the report. Operations are in the order of the manifest, cases in that of the suite. */
export function buildReport(input: ReportInput): ConformanceReport {
  const { manifest, baseline, selected } = input;
  const results = input.results.filter(({ operation }) => selected.has(operation));
  const differences = results.flatMap((result) => listDifferences(result, baseline));
  const operations = manifest.operations
    .filter(({ id }) => selected.has(id))
    .map(({ id }) => countCases(id, results, differences));
  const total = (name: keyof Omit<OperationResult, 'operation'>) =>
    operations.reduce((sum, operation) => sum + operation[name], 0);
  return {
    baseUrl: input.baseUrl,
    reference: manifest.version,
    writes: input.writes,
    summary: {
      operations: operations.length,
      cases: total('cases'),
      same: total('same'),
      different: total('different'),
      accepted: total('accepted'),
      notChecked: total('notChecked'),
    },
    operations,
    differences: groupDifferences(differences),
    checked: results.flatMap((result) => describeChecked(result, differences)),
    notChecked: listUnchecked(operations, results),
    staleBaseline: findStale(baseline, results, differences),
    leftOver: input.leftOver,
  };
}

function listDifferences(result: CaseResult, baseline: readonly BaselineEntry[]): CaseDifference[] {
  return result.differences.map((difference) => {
    const found = { operation: result.operation, case: result.case, ...difference };
    const entry = baseline.find((one) => acceptsDifference(one, found));
    const reason = entry?.reason === undefined ? {} : { reason: entry.reason };
    return { ...found, accepted: entry !== undefined, ...reason, reproduce: result.reproduce ?? '' };
  });
}

function describeChecked(result: CaseResult, differences: readonly CaseDifference[]): CheckedCase[] {
  const { operation, case: name, expectedStatus, skipped } = result;
  if (expectedStatus === undefined || skipped !== undefined) return [];
  const own = differences.filter((one) => one.operation === operation && one.case === name);
  const worst = own.length === 0 ? 'same' : own.every(({ accepted }) => accepted) ? 'accepted' : 'different';
  return [{ operation, case: name, expectedStatus, result: worst }];
}

function countCases(
  id: string,
  results: readonly CaseResult[],
  differences: readonly CaseDifference[],
): OperationResult {
  const own = results.filter(({ operation }) => operation === id);
  const checked = own.filter(({ skipped }) => skipped === undefined);
  const of = (name: string) => differences.filter((one) => one.operation === id && one.case === name);
  const different = checked.filter((one) => of(one.case).some(({ accepted }) => !accepted)).length;
  const same = checked.filter((one) => of(one.case).length === 0).length;
  return {
    operation: id,
    cases: own.length,
    same,
    different,
    accepted: checked.length - same - different,
    notChecked: own.length - checked.length,
  };
}

const normalResult = 'normal result';

/** The cases that were not sent, and the operations whose normal result no case has. */
function listUnchecked(operations: readonly OperationResult[], results: readonly CaseResult[]): UncheckedCase[] {
  return operations.flatMap(({ operation: id }) => {
    const own = results.filter(({ operation }) => operation === id);
    const reason = uncheckedReasons[id];
    const skipped = own.flatMap((one): UncheckedCase[] =>
      one.skipped === undefined ? [] : [{ operation: id, case: one.case, reason: one.skipped }],
    );
    return reason === undefined ? skipped : [...skipped, { operation: id, case: normalResult, reason }];
  });
}

/** The entries that accept nothing, although all their cases were checked. */
function findStale(
  baseline: readonly BaselineEntry[],
  results: readonly CaseResult[],
  differences: readonly CaseDifference[],
): BaselineEntry[] {
  const isOf = ({ operation, case: name }: BaselineEntry, result: CaseResult) =>
    (operation ?? result.operation) === result.operation && (name ?? result.case) === result.case;
  return baseline.filter((entry) => {
    const own = results.filter((result) => isOf(entry, result));
    const isChecked = own.length > 0 && own.every(({ skipped }) => skipped === undefined);
    return isChecked && !differences.some((one) => acceptsDifference(entry, one));
  });
}

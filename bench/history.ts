/** The history of figures: a file with one JSON line per figure and run. */
import { appendFileSync, readFileSync } from 'node:fs';
import { type Figure, formatValue, type Unit } from './figure.ts';
import { median } from './statistics.ts';
import { alignColumns } from './table.ts';

/** What all figures of a run have in common. */
export interface Run {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly commit: string;
  /** The version of Node, for figures that do not have their own. */
  readonly node: string;
  readonly cores: number;
}

/** One line of the file. */
export interface HistoryRecord extends Run {
  readonly figure: string;
  readonly floorMs?: number;
  readonly oursMs?: number;
  readonly result: number;
  readonly byCpu?: number;
  readonly unit: Unit;
}

/** Returns the records of a run. */
export function createRecords(figures: readonly Figure[], run: Run): HistoryRecord[] {
  return figures.map(({ name, node = run.node, times, result, byCpu, unit }) => ({
    ...run,
    node,
    figure: name,
    ...(times === undefined ? {} : { floorMs: round(times.floorMs), oursMs: round(times.oursMs) }),
    result: round(result),
    ...(byCpu === undefined ? {} : { byCpu: round(byCpu) }),
    unit,
  }));
}

const round = (value: number): number => Number(value.toFixed(3));

/** Appends records to the file, which is created if it does not exist. */
export function appendHistory(file: string, records: readonly HistoryRecord[]): void {
  appendFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

/** Reads the records of the file. @throws Error with the number of the line that is not JSON */
export function readHistory(file: string): HistoryRecord[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, index) => (line === '' ? [] : [parseRecord(line, `${file}:${index + 1}`)]));
}

function parseRecord(line: string, position: string): HistoryRecord {
  try {
    return JSON.parse(line) as HistoryRecord;
  } catch (cause) {
    throw new Error(`${position} is not a JSON record`, { cause });
  }
}

/** Returns a table with the medians of the runs of each commit, by figure and version of Node, in the order of the file. */
export function formatHistory(records: readonly HistoryRecord[]): string {
  const groups = groupBy(records, ({ figure, node, commit }) => JSON.stringify([figure, node, commit]));
  const series = groupBy(groups, ([{ figure, node }]) => JSON.stringify([figure, node]));
  return alignColumns(
    [
      ['figure', 'node', 'date', 'commit', 'runs', 'floor', 'ours', 'result', 'by cpu'],
      ...series.flat().map(formatRow),
    ],
    4,
  );
}

type Group<Value> = [Value, ...Value[]];

/** Groups values by key, in the order of their first occurrence. */
function groupBy<Value>(values: readonly Value[], keyOf: (value: Value) => string): Group<Value>[] {
  const groups = new Map<string, Group<Value>>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return [...groups.values()];
}

function formatRow(runs: Group<HistoryRecord>): string[] {
  const [{ figure, node, date, commit, unit }] = runs;
  const medianOf = (field: 'floorMs' | 'oursMs' | 'result' | 'byCpu', fieldUnit: Unit) => {
    const values = runs.map((run) => run[field]).filter((value) => value !== undefined);
    return values.length === 0 ? '' : formatValue(median(values), fieldUnit);
  };
  const times = [medianOf('floorMs', 'ms'), medianOf('oursMs', 'ms')];
  return [figure, node, date, commit, String(runs.length), ...times, medianOf('result', unit), medianOf('byCpu', unit)];
}

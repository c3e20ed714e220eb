/** A line of the result table: a measured value and its target. */
import { mean, median } from './statistics.ts';

type Unit = 'ratio' | 'ms' | 'MB';

export interface Figure {
  readonly name: string;
  /** The measured value, with its unit. */
  readonly ours: string;
  readonly floor: string;
  readonly result: number;
  /** The same result by CPU time; a difference shows that other work on the machine affected the measurement. */
  readonly byCpu?: number;
  readonly unit: Unit;
  readonly target?: { readonly atLeast: number } | { readonly atMost: number };
}

/** Whether the figure reaches its target; undefined without a target. */
export function isReached({ result, target }: Figure): boolean | undefined {
  if (target === undefined) return undefined;
  return 'atLeast' in target ? result >= target.atLeast : result <= target.atMost;
}

/** The result of one round: responses per second and CPU time of the server per response. */
export interface Rate {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/** Returns the figure for the median ratio of the rounds. */
export function ratioFigure(name: string, ours: readonly Rate[], floor: readonly Rate[], atLeast?: number): Figure {
  const ratios = (of: (ours: Rate, floor: Rate) => number) =>
    median(ours.map((rate, round) => of(rate, floor[round] ?? rate)));
  return {
    name,
    ours: formatRate(ours.map(({ perSecond }) => perSecond)),
    floor: formatRate(floor.map(({ perSecond }) => perSecond)),
    result: ratios((one, other) => one.perSecond / other.perSecond),
    byCpu: ratios((one, other) => other.cpuMs / one.cpuMs),
    unit: 'ratio',
    ...(atLeast === undefined ? {} : { target: { atLeast } }),
  };
}

/** Returns the figure for a time. */
export function timeFigure(
  name: string,
  milliseconds: number,
  { floor = '', atMost }: { readonly floor?: string; readonly atMost?: number } = {},
): Figure {
  return {
    name,
    ours: `${milliseconds.toFixed(0)} ms`,
    floor,
    result: milliseconds,
    unit: 'ms',
    ...(atMost === undefined ? {} : { target: { atMost } }),
  };
}

/** How long a process ran. */
export interface Duration {
  readonly wallMs: number;
  /** NaN where the system does not report it. */
  readonly cpuMs: number;
}

/**
 * Returns the figure for the median time that a process takes in addition to the floor of the same round. The CPU time is
 * a mean, as the system reports it in steps of 10 ms.
 */
export function overheadFigure(name: string, ours: readonly Duration[], floor: readonly Duration[]): Figure {
  const wallMs = (durations: readonly Duration[]) => median(durations.map((duration) => duration.wallMs));
  const cpuMs = (durations: readonly Duration[]) => mean(durations.map((duration) => duration.cpuMs));
  const byCpu = cpuMs(ours) - cpuMs(floor);
  return {
    name,
    ours: `${wallMs(ours).toFixed(0)} ms`,
    floor: `${wallMs(floor).toFixed(0)} ms`,
    result: median(ours.map((time, round) => time.wallMs - (floor[round]?.wallMs ?? 0))),
    ...(Number.isNaN(byCpu) ? {} : { byCpu }),
    unit: 'ms',
  };
}

/** Returns the figure for how many times the CPU time of the floor a process takes, each as a mean; see `overheadFigure`. */
export function multipleFigure(
  name: string,
  ours: readonly Duration[],
  floor: readonly Duration[],
  atMost?: number,
): Figure {
  const multipleOf = (read: (duration: Duration) => number) => mean(ours.map(read)) / mean(floor.map(read));
  const wallMs = (durations: readonly Duration[]) => median(durations.map((duration) => duration.wallMs));
  const byCpu = multipleOf(({ cpuMs }) => cpuMs);
  return {
    name,
    ours: `${wallMs(ours).toFixed(0)} ms`,
    floor: `${wallMs(floor).toFixed(0)} ms`,
    ...(Number.isNaN(byCpu) ? { result: multipleOf((duration) => duration.wallMs) } : { result: byCpu, byCpu }),
    unit: 'ratio',
    ...(atMost === undefined ? {} : { target: { atMost } }),
  };
}

/** Formats the median of rates per second. */
export function formatRate(perSecond: readonly number[]): string {
  return `${Math.round(median(perSecond)).toLocaleString('en')}/s`;
}

export function formatTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    figure.ours,
    figure.floor,
    formatValue(figure.result, figure.unit),
    figure.byCpu === undefined ? '' : formatValue(figure.byCpu, figure.unit),
    formatTarget(figure),
    formatVerdict(figure),
  ]);
  return alignColumns([['figure', 'ours', 'floor', 'result', 'by cpu', 'target', ''], ...rows]);
}

/** Returns the rows as text in aligned columns; all but the first are aligned to the right. */
function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const align = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => `${row.map(align).join('  ').trimEnd()}\n`).join('');
}

function formatValue(value: number, unit: Unit): string {
  return unit === 'ratio' ? value.toFixed(3) : `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`;
}

function formatTarget({ target, unit }: Figure): string {
  if (target === undefined) return '';
  const [sign, bound] = 'atLeast' in target ? ['>=', target.atLeast] : ['<=', target.atMost];
  return unit === 'ratio' ? `${sign} ${bound.toFixed(2)}` : `${sign} ${bound} ${unit}`;
}

function formatVerdict(figure: Figure): string {
  const reached = isReached(figure);
  if (reached === undefined) return '';
  return reached ? 'ok' : 'MISSED';
}

/** A line of the result table: a measured value and its target. */
import { median } from './statistics.ts';

export interface Figure {
  readonly name: string;
  /** The measured value, with its unit. */
  readonly ours: string;
  readonly floor: string;
  readonly result: number;
  /** The same ratio by CPU time per response; a difference shows that something other than the server was the limit. */
  readonly byCpu?: number;
  readonly unit: 'ratio' | 'ms' | 'MB' | 'responses';
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
    ours: perSecond(ours),
    floor: perSecond(floor),
    result: ratios((one, other) => one.perSecond / other.perSecond),
    byCpu: ratios((one, other) => other.cpuMs / one.cpuMs),
    unit: 'ratio',
    ...(atLeast === undefined ? {} : { target: { atLeast } }),
  };
}

function perSecond(rates: readonly Rate[]): string {
  return `${Math.round(median(rates.map((rate) => rate.perSecond))).toLocaleString('en')}/s`;
}

export function formatTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    figure.ours,
    figure.floor,
    formatResult(figure),
    figure.byCpu?.toFixed(3) ?? '',
    formatTarget(figure),
    formatVerdict(figure),
  ]);
  const all = [['figure', 'ours', 'floor', 'result', 'by cpu', 'target', ''], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = all.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

function formatResult({ result, unit }: Figure): string {
  if (unit === 'responses') return String(result);
  return unit === 'ratio' ? result.toFixed(3) : `${result.toFixed(result < 100 ? 1 : 0)} ${unit}`;
}

function formatTarget({ target, unit }: Figure): string {
  if (target === undefined) return '';
  const [sign, bound] = 'atLeast' in target ? ['>=', target.atLeast] : ['<=', target.atMost];
  if (unit === 'responses') return `${sign} ${bound}`;
  return unit === 'ratio' ? `${sign} ${bound.toFixed(2)}` : `${sign} ${bound} ${unit}`;
}

function formatVerdict(figure: Figure): string {
  const reached = isReached(figure);
  if (reached === undefined) return '';
  return reached ? 'ok' : 'MISSED';
}

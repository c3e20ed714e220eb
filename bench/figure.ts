/** One line of the table: what was measured, and what it should be. */
import { median } from './statistics.ts';

export interface Figure {
  readonly name: string;
  /** With its unit. */
  readonly ours: string;
  readonly floor: string;
  readonly result: number;
  /** The same by the processor's time for an answer: tells whether something else than the servers was the limit. */
  readonly byCpu?: number;
  readonly unit: 'ratio' | 'ms' | 'MB' | 'answers';
  readonly target?: { readonly atLeast: number } | { readonly atMost: number };
}

/** Whether the figure is what it should be; undefined where nothing is asked of it. */
export function isReached({ result, target }: Figure): boolean | undefined {
  if (target === undefined) return undefined;
  return 'atLeast' in target ? result >= target.atLeast : result <= target.atMost;
}

/** What one round gave: answers in a second, and the processor's time that the server took for each. */
export interface Rate {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/** The medians of the rounds' ratios. */
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
  if (unit === 'answers') return String(result);
  return unit === 'ratio' ? result.toFixed(3) : `${result.toFixed(result < 100 ? 1 : 0)} ${unit}`;
}

function formatTarget({ target, unit }: Figure): string {
  if (target === undefined) return '';
  const [sign, bound] = 'atLeast' in target ? ['>=', target.atLeast] : ['<=', target.atMost];
  if (unit === 'answers') return `${sign} ${bound}`;
  return unit === 'ratio' ? `${sign} ${bound.toFixed(2)}` : `${sign} ${bound} ${unit}`;
}

function formatVerdict(figure: Figure): string {
  const reached = isReached(figure);
  if (reached === undefined) return '';
  return reached ? 'ok' : 'MISSED';
}

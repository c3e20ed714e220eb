/** A chart of one kind of figure, and the same as a table for everybody who cannot see it. */
import '@mantine/charts/styles.css';
import '@mantine/core/styles/ColorSwatch.css';
import './metrics.css';
import { BarChart, LineChart } from '@mantine/charts';
import { ScrollArea } from '@mantine/core';
import type { ReactElement } from 'react';
import type { ControlData } from '../../api/clients.ts';
import { DataTable } from '../../components/data-table.tsx';
import { type Figure, Figures } from '../../components/lists/figures.tsx';

type MetricPoint = ControlData<'/metrics/series'>['points'][number];

export interface ChartLine {
  readonly name: string;
  /** A colour of the theme. */
  readonly color: string;
  /** Undefined without requests. */
  read(point: MetricPoint): number | undefined;
}

export interface SeriesChartProps {
  readonly title: string;
  /** Counts are stacked bars, durations are lines. */
  readonly isCount?: boolean;
  readonly lines: readonly ChartLine[];
  readonly points: readonly MetricPoint[];
  /** The figure of all points. */
  sumUp(points: readonly MetricPoint[]): Omit<Figure, 'name'>;
}

const height = 200;

export function SeriesChart({ title, isCount = false, lines, points, sumUp }: SeriesChartProps) {
  const unit = isCount ? undefined : 'ms';
  const format = (value: number | undefined) => formatFigure(value, unit);
  const data = points.map((point) => ({
    time: formatClock(point.at),
    ...Object.fromEntries(lines.map(({ name, read }) => [name, read(point)])),
  }));
  const common = {
    h: height,
    data,
    dataKey: 'time',
    series: lines.map(({ name, color }) => ({ name, color })),
    withLegend: lines.length > 1,
    // In the order of the lines.
    legendProps: { itemSorter: null, height: 28 },
    valueFormatter: format,
    tickLine: 'none',
    strokeDasharray: '0',
    gridColor: 'var(--mantine-color-default-border)',
    textColor: 'var(--mantine-color-dimmed)',
    yAxisProps: { width: 48, tickCount: 4, allowDecimals: !isCount, domain: [0, 'auto'], tickFormatter: formatTick },
    xAxisProps: { ticks: chooseTicks(data), interval: 0, tickFormatter: (time: string) => time.slice(0, 5) },
  } as const;
  return (
    <section className="chart" aria-label={title}>
      <Figures figures={[{ name: title, ...sumUp(points) }]} />
      <div role="img" aria-label={summarize(title, lines, points, format)}>
        {isCount ? (
          <BarChart
            {...common}
            type="stacked"
            maxBarWidth={10}
            // The table contains all values.
            barChartProps={{ accessibilityLayer: false }}
          />
        ) : (
          <LineChart
            {...common}
            curveType="linear"
            strokeWidth={1.5}
            connectNulls
            lineProps={({ name, color }) => ({ dot: createDot({ data, name, color: String(color) }) })}
            lineChartProps={{ accessibilityLayer: false }}
          />
        )}
      </div>
      <FigureTable title={title} lines={lines} points={points} format={format} />
    </section>
  );
}

interface DotOptions {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly name: string;
  readonly color: string;
}

interface DotProps {
  readonly key?: unknown;
  readonly index?: number;
  readonly cx?: number | undefined;
  readonly cy?: number | undefined;
}

/** A value without neighbours is no line: only it has a dot. */
function createDot({ data, name, color }: DotOptions): (props: DotProps) => ReactElement {
  const fill = `var(--mantine-color-${color.replace('.', '-')})`;
  return ({ index = 0, cx, cy }) => {
    const isAlone = [index - 1, index + 1].every((at) => data[at]?.[name] === undefined);
    const isShown = isAlone && data[index]?.[name] !== undefined;
    return isShown ? <circle key={index} cx={cx} cy={cy} r={3} fill={fill} /> : <g key={index} />;
  };
}

const maxTicks = 6;

/** Whole minutes, or every few of them. */
function chooseTicks(data: readonly { readonly time: string }[]): string[] {
  const minutes = data.map(({ time }) => time).filter((time) => time.endsWith(':00'));
  const step = [1, 2, 5, 10, 15, 30].find((each) => minutes.length / each <= maxTicks) ?? 60;
  return minutes.filter((time) => Number(time.slice(3, 5)) % step === 0);
}

function formatTick(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 1 });
}

interface FigureTableProps extends Pick<SeriesChartProps, 'title' | 'lines' | 'points'> {
  format(value: number | undefined): string;
}

/** Newest first, without the intervals that had no requests. */
function FigureTable({ title, lines, points, format }: FigureTableProps) {
  const used = points.filter(({ requests }) => requests > 0).toReversed();
  if (used.length === 0) return undefined;
  return (
    <details>
      <summary>{title} as a table</summary>
      <ScrollArea.Autosize mah={280} viewportProps={{ tabIndex: 0, 'aria-label': `${title} by time` }}>
        <DataTable
          className="figure-table"
          titles={['Time (UTC)', ...lines.map(({ name }) => name)]}
          rows={used.map((point) => ({
            key: point.at,
            name: formatClock(point.at),
            cells: lines.map(({ read }) => format(read(point))),
          }))}
        />
      </ScrollArea.Autosize>
    </details>
  );
}

function summarize(
  title: string,
  lines: readonly ChartLine[],
  points: readonly MetricPoint[],
  format: (value: number | undefined) => string,
): string {
  const highest = lines.map(({ name, read }) => {
    const values = points.map(read).filter((value) => value !== undefined);
    return `${name} at most ${format(values.length === 0 ? undefined : Math.max(...values))}`;
  });
  return `${title}: ${highest.join(', ')}`;
}

/** Hours, minutes and seconds in UTC. */
function formatClock(at: string): string {
  return at.slice(11, 19);
}

function formatFigure(value: number | undefined, unit: string | undefined): string {
  if (value === undefined) return '-';
  if (unit === undefined) return String(value);
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ${unit}`;
}

/** A chart of one kind of figure, and the same as a table for everybody who cannot see it. */
import '@mantine/charts/styles.css';
import { LineChart } from '@mantine/charts';
import { ScrollArea } from '@mantine/core';
import type { ControlData } from '../../api/clients.ts';
import { DataTable } from '../../components/data-table.tsx';
import { PageSection } from '../../components/section.tsx';

type MetricPoint = ControlData<'/metrics/series'>['points'][number];

export interface ChartLine {
  readonly name: string;
  /** A colour of the theme. */
  readonly color: string;
  /** Undefined without requests. */
  read(point: MetricPoint): number | undefined;
}

interface SeriesChartProps {
  readonly title: string;
  readonly unit?: string;
  readonly lines: readonly ChartLine[];
  readonly points: readonly MetricPoint[];
}

const height = 220;

export function SeriesChart({ title, unit, lines, points }: SeriesChartProps) {
  const format = (value: number | undefined) => formatFigure(value, unit);
  const data = points.map((point) => ({
    time: formatClock(point.at),
    ...Object.fromEntries(lines.map(({ name, read }) => [name, read(point)])),
  }));
  return (
    <PageSection title={title}>
      <div role="img" aria-label={summarize(title, lines, points, format)}>
        <LineChart
          h={height}
          data={data}
          dataKey="time"
          series={lines.map(({ name, color }) => ({ name, color }))}
          curveType="linear"
          withDots={points.length <= 60}
          dotProps={{ r: 2 }}
          connectNulls={false}
          withLegend={lines.length > 1}
          // In the order of the lines.
          legendProps={{ itemSorter: null }}
          valueFormatter={format}
          yAxisProps={{ width: 64, allowDecimals: unit !== undefined, domain: [0, 'auto'] }}
          xAxisProps={{ minTickGap: 40 }}
          textColor="var(--mantine-color-text)"
          // The table contains all values.
          lineChartProps={{ accessibilityLayer: false }}
        />
      </div>
      <FigureTable title={title} lines={lines} points={points} format={format} />
    </PageSection>
  );
}

interface FigureTableProps extends Omit<SeriesChartProps, 'unit'> {
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

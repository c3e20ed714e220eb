/** Requests, durations and logins of the last hour as charts, each with a table of the same figures. */
import { Loader, NativeSelect, Stack, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import type { ControlData } from '../../api/clients.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { usePage } from '../../api/use-page.ts';
import { useRead } from '../../api/use-read.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Equivalents } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { SeriesChart, type SeriesChartProps } from './series-chart.tsx';

type MetricPoint = SeriesChartProps['points'][number];

/** Intervals of ten seconds. */
const ranges = [
  { value: '60', label: 'The last 10 minutes' },
  { value: '360', label: 'The last hour' },
];
const [defaultRange] = ranges;

/** An interval of the series. */
const refetchInterval = 10_000;

const millisecondsOf = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000);

const sumOf = (points: readonly MetricPoint[], read: (point: MetricPoint) => number) =>
  points.reduce((sum, point) => sum + read(point), 0);

/** Of the slowest interval. */
const highestOf = (points: readonly MetricPoint[]) => Math.max(0, ...points.map(({ p95 }) => millisecondsOf(p95) ?? 0));

const charts: readonly Omit<SeriesChartProps, 'points'>[] = [
  {
    title: 'Requests',
    isCount: true,
    lines: [
      { name: 'Succeeded', color: 'accent.6', read: ({ requests, errors }) => requests - errors },
      { name: 'Errors', color: 'red.6', read: ({ errors }) => errors },
    ],
    sumUp: (points) => ({
      value: sumOf(points, ({ requests }) => requests).toLocaleString('en'),
      detail: `${sumOf(points, ({ errors }) => errors).toLocaleString('en')} with an error`,
    }),
  },
  {
    title: 'Durations',
    lines: [
      { name: 'Median', color: 'accent.6', read: ({ median }) => millisecondsOf(median) },
      { name: '95 %', color: 'cyan.7', read: ({ p95 }) => millisecondsOf(p95) },
      { name: '99 %', color: 'gray.6', read: ({ p99 }) => millisecondsOf(p99) },
    ],
    sumUp: (points) => ({ value: `${highestOf(points).toFixed(0)} ms`, detail: 'at most, for 95 % of the requests' }),
  },
  {
    title: 'Logins',
    isCount: true,
    lines: [{ name: 'Logins', color: 'accent.6', read: ({ logins }) => logins }],
    sumUp: (points) => ({ value: sumOf(points, ({ logins }) => logins).toLocaleString('en') }),
  },
];

export default function MetricsPage() {
  const { search, setSearch } = usePage();
  const range = ranges.some(({ value }) => value === search.intervals) ? search.intervals : defaultRange?.value;
  const limit = Number(range);
  const read: ApiRequest<ControlData<'/metrics/series'>> = ({ control }, signal) =>
    control.GET('/metrics/series', { params: { query: { limit } }, signal });
  const { data, error, refetch } = useRead(['metrics', limit], read, {
    refetchInterval,
    placeholderData: keepPreviousData,
  });
  const total = data?.points.reduce((sum, { requests }) => sum + requests, 0) ?? 0;
  return (
    <Stack gap="md">
      <PageTitle
        actions={
          <NativeSelect
            aria-label="Time"
            data={ranges}
            value={range}
            onChange={({ currentTarget }) => setSearch({ intervals: currentTarget.value })}
          />
        }
      >
        Metrics
      </PageTitle>
      {error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : undefined}
      {data === undefined && error === null ? <Loader size="sm" aria-label="Loading" /> : undefined}
      {data === undefined ? undefined : total === 0 ? (
        <EmptyState icon="metrics" title="No requests in this time" command="groups list">
          Requests, durations and logins appear here ten seconds after a request. Those to the control plane do not
          count.
        </EmptyState>
      ) : (
        <>
          <div className="charts">
            {charts.map((chart) => (
              <SeriesChart key={chart.title} {...chart} points={data.points} />
            ))}
          </div>
          <Text size="sm" c="dimmed" role="status">
            A point is {data.intervalSeconds} seconds, by the clock of the machine. Requests to the control plane do not
            count.
          </Text>
        </>
      )}
      <Equivalents command={`metrics --limit ${range}`} call={read} />
    </Stack>
  );
}

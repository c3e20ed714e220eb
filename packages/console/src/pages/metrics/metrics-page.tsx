/** Requests, durations and logins of the last hour as charts, each with a table of the same figures. */
import { Loader, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import type { ControlData } from '../../api/clients.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { usePage } from '../../api/use-page.ts';
import { useRead } from '../../api/use-read.ts';
import { Equivalents } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { type ChartLine, SeriesChart } from './series-chart.tsx';

/** Intervals of ten seconds. */
const ranges = [
  { value: '60', label: 'The last 10 minutes' },
  { value: '360', label: 'The last hour' },
];
const [defaultRange] = ranges;

/** An interval of the series. */
const refetchInterval = 10_000;

const millisecondsOf = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000);

const charts: readonly { title: string; unit?: string; lines: readonly ChartLine[] }[] = [
  {
    title: 'Requests',
    lines: [
      { name: 'Requests', color: 'accent.8', read: ({ requests }) => requests },
      { name: 'Errors', color: 'red.8', read: ({ errors }) => errors },
    ],
  },
  {
    title: 'Durations',
    unit: 'ms',
    lines: [
      { name: 'Median', color: 'accent.8', read: ({ median }) => millisecondsOf(median) },
      { name: '95 %', color: 'violet.8', read: ({ p95 }) => millisecondsOf(p95) },
      { name: '99 %', color: 'gray.6', read: ({ p99 }) => millisecondsOf(p99) },
    ],
  },
  { title: 'Logins', lines: [{ name: 'Logins', color: 'accent.8', read: ({ logins }) => logins }] },
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
      <PageTitle>Metrics</PageTitle>
      <NativeSelect
        label="Time"
        data={ranges}
        value={range}
        onChange={({ currentTarget }) => setSearch({ intervals: currentTarget.value })}
        maw={240}
      />
      {error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : undefined}
      {data === undefined && error === null ? <Loader size="sm" aria-label="Loading" /> : undefined}
      {data === undefined ? undefined : (
        <>
          <Text role="status">
            {total === 0 ? 'No requests in this time.' : `Requests in this time: ${total}.`} A point is{' '}
            {data.intervalSeconds} seconds, by the clock of the machine. Requests to the control plane do not count.
          </Text>
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
            {charts.map((chart) => (
              <SeriesChart key={chart.title} {...chart} points={data.points} />
            ))}
          </SimpleGrid>
        </>
      )}
      <Equivalents command={`metrics --limit ${range}`} call={read} />
    </Stack>
  );
}

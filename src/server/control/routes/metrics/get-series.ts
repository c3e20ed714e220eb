import * as z from 'zod';
import { exampleInt, exampleText } from '../../../../contract/schemas/primitives.ts';
import { maxSeriesPoints, type SeriesPoint, seriesIntervalSeconds } from '../../../observability/metric-series.ts';
import { defineRoute } from '../../define.ts';

const defaultPoints = 60;

const count = (description: string) => z.int().meta({ description, examples: [3] });
const seconds = (description: string) =>
  z
    .number()
    .optional()
    .meta({ description: `${description}, in seconds; absent without requests`, examples: [0.004] });

const Series = z.strictObject({
  intervalSeconds: exampleInt(seriesIntervalSeconds),
  points: z
    .array(
      z.strictObject({
        at: exampleText('2026-03-01T12:00:00.000Z', "Start of the interval, by the machine's clock"),
        requests: count('Requests without those to the control plane'),
        errors: count('Responses from 400 on, and closed connections'),
        logins: count('Successful logins and renewals: requests that issued a token'),
        median: seconds('Median duration'),
        p95: seconds('95th percentile of the durations'),
        p99: seconds('99th percentile of the durations'),
      }),
    )
    .describe('Oldest first; the last interval has not ended'),
});

export default defineRoute({
  capability: 'read',
  id: 'control.metric-series',
  title: 'Get metrics of the last hour',
  description:
    'Requests, errors, logins and durations in intervals of ten seconds, for charts. Percentiles are estimated from a histogram. A restart deletes the counts; Prometheus keeps them: GET /_iam/metrics.',
  method: 'GET',
  path: '/metrics/series',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      limit: z
        .number()
        .int('must be a whole number')
        .min(1, 'must be at least 1')
        .max(maxSeriesPoints, `must be at most ${maxSeriesPoints}`)
        .optional()
        .meta({
          description: `Number of intervals, 1 to ${maxSeriesPoints} (default: ${defaultPoints})`,
          examples: [60],
        }),
    },
  },
  response: { status: 200, body: Series },
  errors: [],

  async handle({ query: { limit = defaultPoints } }, { observability }) {
    return { intervalSeconds: seriesIntervalSeconds, points: observability.series.list(limit).map(toPoint) };
  },
});

function toPoint({ at, ...point }: SeriesPoint) {
  return { at: new Date(at).toISOString(), ...point };
}

/** A run over rows that were looked at: sent, reported, and its end told. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { ListShape } from '../runtime/output.ts';
import type { BulkDeps } from './deps.ts';
import { createUnknownResult, executeRow, type RowContext, type RowResult, rejectRow } from './execute-row.ts';
import type { BulkOptions } from './options.ts';
import type { OutputFiles } from './output-files.ts';
import type { SelectedRow } from './preflight.ts';
import { Progress } from './progress.ts';
import { RateLimiter } from './rate-limiter.ts';
import { runConcurrently } from './workers.ts';

const columns = ['line', 'operation', 'state', 'status', 'code', 'message', 'id', 'requestId'];
const properties: Record<string, JsonSchema> = Object.fromEntries(columns.map((column) => [column, {}]));
/** What a report consists of. */
export const reportShape: ListShape = { schema: { properties }, main: columns.slice(0, -1) };

/** How a run ended. */
export interface RunSummary {
  readonly ok: number;
  readonly failed: number;
  /** Why it ended before its last row. */
  readonly reason?: unknown;
  /** So many rows failed that it was to end. */
  readonly errorLimitReached: boolean;
}

/** Sends the rows and prints the report as answers come. Failures of rows are told by numbers, not thrown. */
export async function runRows(
  deps: BulkDeps,
  options: BulkOptions,
  rows: AsyncIterator<SelectedRow, unknown, undefined>,
  outputFiles: OutputFiles,
  count: number,
): Promise<RunSummary> {
  const { io, environment, printer } = deps.context;
  const state = { ok: 0, failed: 0, reason: undefined as unknown };
  const isOver = () => io.signal.aborted || state.reason !== undefined || state.failed >= options.maxErrors;
  const rowContext: RowContext = {
    deps,
    outputs: outputFiles,
    rateLimiter: new RateLimiter(
      { now: () => performance.now(), pause: (wait) => sleepUnlessAborted(io.signal, wait) },
      options.interval,
    ),
    isOver,
    stop: (reason) => (state.reason ??= reason),
  };
  const progress = new Progress(io.stderr, count, environment.now, options.quiet);
  const processRow = async ({ row, action }: SelectedRow) => {
    if ('reason' in row) return rejectRow(rowContext, row);
    return action === 'unknown' ? createUnknownResult(row) : executeRow(rowContext, row);
  };
  const results = runConcurrently(rows, options.concurrency, processRow, isOver);
  const nextResult = async (): Promise<RowResult | undefined> => {
    for (;;) {
      const { value, done } = await results.next();
      if (done) return undefined;
      if (!value) continue;
      state[value.state === 'ok' ? 'ok' : 'failed'] += 1;
      progress.increment(value.state !== 'ok');
      return value;
    }
  };
  const onSignal = () => deps.context.notice('Interrupted: what is under way is finished first.');
  io.signal.addEventListener('abort', onSignal);
  try {
    await printer.list(streamReport(nextResult, progress), reportShape);
    // Who reads the report may go; what was asked for is done all the same.
    while (await nextResult());
  } finally {
    io.signal.removeEventListener('abort', onSignal);
    // Nothing is closed while a row is under way.
    await results.return();
  }
  progress.clear();
  return { ...state, errorLimitReached: state.failed >= options.maxErrors };
}

async function* streamReport(nextResult: () => Promise<RowResult | undefined>, progress: Progress) {
  for (let outcome = await nextResult(); outcome; outcome = await nextResult()) {
    progress.clear();
    yield [outcome];
  }
}

async function sleepUnlessAborted(signal: AbortSignal, milliseconds: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, milliseconds);
    signal.addEventListener('abort', finish);
    if (signal.aborted) finish();
  });
}

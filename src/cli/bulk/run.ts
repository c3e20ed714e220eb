/** Sends the validated rows and streams the report. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { runConcurrently } from '../http/run-concurrently.ts';
import type { ListShape } from '../output/list-writer.ts';
import { buildListShape } from '../request/control-plane.ts';
import { createUnknownResult, executeRow, type RowContext, type RowResult, rejectRow } from './execute-row.ts';
import { KeyedQueue } from './keyed-queue.ts';
import type { BulkOptions } from './options.ts';
import type { OutputFiles } from './output-files.ts';
import { Progress } from './progress.ts';
import { RateLimiter } from './rate-limiter.ts';
import { sendRowUpdate } from './row-updates.ts';
import type { SelectedRow } from './rows.ts';

const columns = ['line', 'operation', 'state', 'status', 'code', 'message', 'id', 'requestId'];
export const reportShape: ListShape = {
  ...buildListShape(columns, columns.length - 1),
  text: ['message'],
  required: columns.slice(0, columns.indexOf('id')),
};

/** How a run ended. */
export interface RunSummary {
  readonly ok: number;
  readonly failed: number;
  /** Rows that were sent without a response. */
  readonly unknown: number;
  /** Error that ended the run early. */
  readonly reason?: unknown;
  /** Whether --max-errors was reached. */
  readonly errorLimitReached: boolean;
}

/** Sends the rows and prints results as they arrive. Failed rows are counted, not thrown. */
export async function runRows(
  context: Context,
  options: BulkOptions,
  rows: AsyncIterator<SelectedRow, unknown, undefined>,
  outputFiles: OutputFiles,
  count: number,
): Promise<RunSummary> {
  const { io, environment, printer } = context;
  const state = { ok: 0, failed: 0, unknown: 0, reason: undefined as unknown };
  // Rows that an earlier run left without a response are reported, not sent: they do not count for the limit.
  let earlier = 0;
  const isLimitReached = () => state.failed + state.unknown - earlier >= options.maxErrors;
  const isOver = () => io.signal.aborted || state.reason !== undefined || isLimitReached();
  const rowContext: RowContext = {
    ...context,
    maxWait: options.maxWait,
    ifNotExists: options.ifNotExists,
    sendUpdate: (row) => {
      const update = options.findRowUpdate(row.operation);
      return update && sendRowUpdate(context, update, row);
    },
    isRenamed: async ({ operation, input }) =>
      (await options.findRowUpdate(operation)?.isRenamed(context, input)) ?? false,
    creations: new KeyedQueue(),
    outputs: outputFiles,
    rateLimiter: new RateLimiter(
      {
        now: () => performance.now(),
        pause: (wait) => pause(wait, undefined, { signal: io.signal }).catch(() => undefined),
      },
      options.interval,
    ),
    isOver,
    stop: (reason) => (state.reason ??= reason),
  };
  const progress = new Progress(io.stderr, count, environment.now, options.quiet);
  const processRow = async ({ row, action }: SelectedRow) => {
    if ('reason' in row) return rejectRow(rowContext, row);
    if (action !== 'unknown') return executeRow(rowContext, row, action === 'repeat');
    earlier += 1;
    return createUnknownResult(row);
  };
  const results = runConcurrently(rows, options.concurrency, processRow, isOver);
  const nextResult = async (): Promise<RowResult | undefined> => {
    for (;;) {
      const { value, done } = await results.next();
      if (done) return undefined;
      if (!value) continue;
      state[value.state === 'invalid' ? 'failed' : value.state] += 1;
      progress.increment(value.state);
      return value;
    }
  };
  const onSignal = () => {
    progress.clear();
    context.notice('Interrupted. Waiting for requests in progress.');
  };
  io.signal.addEventListener('abort', onSignal);
  try {
    const batchSize = printer.format === 'table' || printer.format === 'wide' ? rowsPerBatch : 1;
    await printer.list(
      streamReport(nextResult, () => progress.clear(), batchSize),
      reportShape,
    );
    // Continue if the reader of the report has closed the pipe.
    while (await nextResult());
  } finally {
    io.signal.removeEventListener('abort', onSignal);
    // Wait for rows in progress before the files are closed.
    await results.return();
  }
  progress.clear();
  return { ...state, errorLimitReached: isLimitReached() };
}

/** Rows of a table are aligned together, so the progress line stays until a batch is complete. */
const rowsPerBatch = 1_000;

async function* streamReport(
  nextResult: () => Promise<RowResult | undefined>,
  beforeOutput: () => void,
  batchSize: number,
) {
  let batch: RowResult[] = [];
  for (let result = await nextResult(); result; result = await nextResult()) {
    batch.push(result);
    if (batch.length < batchSize) continue;
    beforeOutput();
    yield batch;
    batch = [];
  }
  beforeOutput();
  if (batch.length > 0) yield batch;
}

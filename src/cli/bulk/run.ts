/** A run over rows that were looked at: sent, reported, and its end told. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { ListShape } from '../runtime/output.ts';
import { Pace } from './pace.ts';
import { type Outcome, type Performing, perform, refuse, unknownOutcome } from './performing.ts';
import type { OpenPlaces } from './places.ts';
import { Progress } from './progress.ts';
import type { RunSettings } from './settings.ts';
import type { ChosenRow } from './survey.ts';
import type { BulkTools } from './tools.ts';
import { worked } from './workers.ts';

const columns = ['line', 'operation', 'state', 'status', 'code', 'message', 'id', 'requestId'];
const properties: Record<string, JsonSchema> = Object.fromEntries(columns.map((column) => [column, {}]));
/** What a report consists of. */
export const reportShape: ListShape = { schema: { properties }, main: columns.slice(0, -1) };

/** How a run ended. */
export interface End {
  readonly ok: number;
  readonly failed: number;
  /** Why it ended before its last row. */
  readonly reason?: unknown;
  /** So many rows failed that it was to end. */
  readonly hadEnough: boolean;
}

/** Sends the rows and prints the report as answers come. Failures of rows are told by numbers, not thrown. */
export async function runRows(
  tools: BulkTools,
  settings: RunSettings,
  rows: AsyncIterator<ChosenRow, unknown, undefined>,
  places: OpenPlaces,
  count: number,
): Promise<End> {
  const { io, environment, printer } = tools.context;
  const state = { ok: 0, failed: 0, reason: undefined as unknown };
  const isOver = () => io.signal.aborted || state.reason !== undefined || state.failed >= settings.maxErrors;
  const parts: Performing = {
    tools,
    places,
    pace: new Pace({ now: () => performance.now(), pause: (wait) => pauseUnless(io.signal, wait) }, settings.interval),
    isOver,
    stop: (reason) => (state.reason ??= reason),
  };
  const progress = new Progress(io.stderr, count, environment.now, settings.quiet);
  const work = async ({ row, choice }: ChosenRow) => {
    if ('reason' in row) return refuse(parts, row);
    return choice === 'unknown' ? unknownOutcome(row) : perform(parts, row);
  };
  const results = worked(rows, settings.concurrency, work, isOver);
  const take = async (): Promise<Outcome | undefined> => {
    for (;;) {
      const { value, done } = await results.next();
      if (done) return undefined;
      if (!value) continue;
      state[value.state === 'ok' ? 'ok' : 'failed'] += 1;
      progress.count(value.state !== 'ok');
      return value;
    }
  };
  const onSignal = () => tools.context.notice('Interrupted: what is under way is finished first.');
  io.signal.addEventListener('abort', onSignal);
  try {
    await printer.list(reported(take, progress), reportShape);
    // Who reads the report may go; what was asked for is done all the same.
    while (await take());
  } finally {
    io.signal.removeEventListener('abort', onSignal);
    // Nothing is closed while a row is under way.
    await results.return();
  }
  progress.clear();
  return { ...state, hadEnough: state.failed >= settings.maxErrors };
}

async function* reported(take: () => Promise<Outcome | undefined>, progress: Progress) {
  for (let outcome = await take(); outcome; outcome = await take()) {
    progress.clear();
    yield [outcome];
  }
}

async function pauseUnless(signal: AbortSignal, milliseconds: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

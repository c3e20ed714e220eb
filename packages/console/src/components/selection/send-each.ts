/** Sends one request for each row, a few at a time, until all are sent or the reader stops it. */
import { RequestError } from '../../api/errors.ts';

const maxConcurrent = 4;

interface SendEachOptions<Row> {
  readonly rows: readonly Row[];
  send(row: Row): Promise<unknown>;
  /** Rows are then no longer sent; requests that are under way still end. */
  readonly signal: AbortSignal;
  /** Called with the number of responses, after each of them. */
  onProgress(count: number): void;
}

export interface FailedRow<Row> {
  readonly row: Row;
  readonly error: unknown;
}

export interface SendResult<Row> {
  readonly done: readonly Row[];
  readonly failed: readonly FailedRow<Row>[];
}

/** Other rows, after a stop or without a server, are in neither list. */
export async function sendEach<Row>({ rows, send, signal, onProgress }: SendEachOptions<Row>) {
  const done: Row[] = [];
  const failed: FailedRow<Row>[] = [];
  let isAway = false;
  const waiting = [...rows].reverse();
  const sendNext = async (): Promise<void> => {
    const row = signal.aborted || isAway ? undefined : waiting.pop();
    if (row === undefined) return;
    try {
      await send(row);
      done.push(row);
    } catch (error) {
      failed.push({ row, error });
      // The others would fail as well.
      isAway ||= error instanceof RequestError && error.status === undefined;
    }
    onProgress(done.length + failed.length);
    await sendNext();
  };
  await Promise.all(Array.from({ length: maxConcurrent }, sendNext));
  return { done, failed } satisfies SendResult<Row>;
}

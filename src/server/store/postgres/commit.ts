/**
 * Commits, and finds out what became of a commit without a response. Each writing transaction inserts a row with its
 * random id into `commits`. To find out about a commit without a response, the same id is inserted as void: if that
 * succeeds, the commit never happened and never will.
 */
import type { PoolClient } from 'pg';
import type { Stopwatch } from '../../lib/stopwatch.ts';
import type { Timer } from '../../lib/timer.ts';
import { OutcomeUnknownError, StoreUnavailableError } from '../store.ts';
import type { PrimaryConnections } from './primary-connections.ts';
import { isAmbiguous, isMissingValue, sqlStateOf } from './sql-errors.ts';
import { isWithin } from './statements.ts';

export interface CommitDeps {
  readonly connections: PrimaryConnections;
  readonly stopwatch: Stopwatch;
  readonly timer: Timer;
  /** Until when this server is registered, in milliseconds by the clock of the database: later it does not commit. */
  readonly registeredUntil?: number | undefined;
  /** Called when a commit has no response, before it is inquired. */
  onUnconfirmed?(): void;
}

/** Milliseconds. A commit that waits for a standby is not ended by statement_timeout. */
const commitTimeout = 5_000;
/**
 * Milliseconds after the commit in which an inquiry can begin. Later the mark may be deleted, and its absence says nothing:
 * a process can be stopped for any time between the two.
 */
const inquiryWindow = 5 * 60_000;
const inquiryTimeout = 15_000;
const inquiryPause = 250;

const mark = {
  name: 'commits.mark',
  text: `insert into commits (id) values (case when ${isWithin} then $1::uuid end)`,
};
/**
 * Without an id the insert fails: the registration of the server has expired since its last check, for example while its
 * machine was suspended. The clock is that of the database, by which others remove it; the end is a
 * parameter, so that the transaction reads no further table.
 */
const markRegistered = {
  name: 'commits.markRegistered',
  text: `insert into commits (id) values (case when ${isWithin}
    and extract(epoch from clock_timestamp()) * 1000 < $2::bigint then $1::uuid end)`,
};
/**
 * Writes also if the row exists, so that the answer is as durable as every other commit. After $2, in milliseconds by the
 * clock of the database, it writes and returns nothing.
 */
export const inquire = {
  name: 'commits.inquire',
  text: `insert into commits (id, kind) select $1::uuid, 'void'
    where $2::bigint is null or extract(epoch from clock_timestamp()) * 1000 < $2::bigint
    on conflict (id) do update set kind = commits.kind returning kind`,
};

/** The commit was not confirmed: it may have happened. */
class UnconfirmedCommitError extends Error {
  override readonly name = 'UnconfirmedCommitError';
}

/** Nothing was changed. */
export class NotRegisteredError extends StoreUnavailableError {
  constructor() {
    super('The registration at the database has expired.');
  }
}

/**
 * Commits the transaction of a connection, and returns the connection to the pool.
 * @returns whether it was committed; false: it was not, and its work can run again
 * @throws OutcomeUnknownError if that cannot be found out in time; NotRegisteredError, or the error of PostgreSQL if it
 * rejected the commit
 */
export async function commit(client: PoolClient, id: string, deps: CommitDeps): Promise<boolean> {
  const sentAt = deps.stopwatch.now();
  try {
    await confirmCommit(client, id, deps);
  } catch (error) {
    if (error instanceof NotRegisteredError || (!(error instanceof UnconfirmedCommitError) && !isAmbiguous(error))) {
      client.release();
      throw error;
    }
    client.release(true);
    deps.onUnconfirmed?.();
    return inquireUntilKnown(id, sentAt, deps);
  }
  client.release();
  return true;
}

/** Commits a transaction that wrote nothing: nothing can be lost with its connection. */
export async function commitReads(client: PoolClient): Promise<void> {
  try {
    await client.query('commit');
  } catch (error) {
    // After a conflict the connection can be used again.
    client.release(sqlStateOf(error) === undefined);
    throw error;
  }
  client.release();
}

async function confirmCommit(client: PoolClient, id: string, { timer, registeredUntil }: CommitDeps): Promise<void> {
  let hasWarning = false;
  // After an administrator cancelled the wait for the standby, COMMIT succeeds with a warning (SQLSTATE 01000).
  const onNotice = ({ code }: { readonly code?: string | undefined }) => {
    if (code === '01000') hasWarning = true;
  };
  client.on('notice', onNotice);
  try {
    const marked = client.query(createMark(id, registeredUntil));
    const committed = withTimeout(client.query('commit'), timer);
    const [marking, commitment] = await Promise.allSettled([marked, committed]);
    if (marking.status === 'rejected') throw isMissingValue(marking.reason) ? new NotRegisteredError() : marking.reason;
    if (commitment.status === 'rejected') throw commitment.reason;
    if (hasWarning) throw new UnconfirmedCommitError('COMMIT returned with a warning.');
    if (commitment.value.command !== 'COMMIT') throw new Error(`COMMIT returned ${commitment.value.command}.`);
  } finally {
    client.off('notice', onNotice);
  }
}

function createMark(id: string, registeredUntil: number | undefined) {
  return registeredUntil === undefined
    ? { ...mark, values: [id] }
    : { ...markRegistered, values: [id, registeredUntil] };
}

function withTimeout<Value>(work: Promise<Value>, timer: Timer): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = timer.after(commitTimeout, () => reject(new UnconfirmedCommitError('COMMIT did not respond.')));
    work.then(resolve, reject).finally(cancel);
  });
}

async function inquireUntilKnown(id: string, sentAt: number, deps: CommitDeps): Promise<boolean> {
  const { stopwatch, timer } = deps;
  const begunAt = stopwatch.now();
  for (;;) {
    const now = stopwatch.now();
    if (now - sentAt >= inquiryWindow || now - begunAt >= inquiryTimeout)
      throw new OutcomeUnknownError('The database did not confirm a commit.');
    const kind = await inquireOnce(id, deps).catch(() => undefined);
    if (kind !== undefined) return kind === 'done';
    await new Promise<void>((resolve) => timer.after(inquiryPause, resolve));
  }
}

/** While the commit still runs, the insert waits for it, and fails after `lock_timeout`. */
async function inquireOnce(id: string, { connections, timer, registeredUntil }: CommitDeps): Promise<string> {
  // The commit was before this time; the clock of the database also runs while this machine is suspended.
  const until = registeredUntil === undefined ? null : registeredUntil + inquiryWindow;
  const client = await connections.acquire();
  let isWarned = false;
  const onNotice = () => {
    isWarned = true;
  };
  client.on('notice', onNotice);
  try {
    const { rows } = await withTimeout(client.query<{ kind: string }>({ ...inquire, values: [id, until] }), timer);
    const [row] = rows;
    if (isWarned || !row) throw new UnconfirmedCommitError('The inquiry was not confirmed.');
    client.off('notice', onNotice);
    client.release();
    return row.kind;
  } catch (error) {
    client.release(true);
    throw connections.explain(error, client);
  }
}

/**
 * Precedence of long transactions. SERIALIZABLE fails the transaction that commits later, so one that writes thousands of
 * rows beside short ones would fail each time. After a failure it begins by locking the tables that only administration
 * writes: other writers of these wait for it, in this and every other server. Logins and renewals write none of them, and
 * reads never wait.
 */
import type { Stopwatch } from '../../lib/stopwatch.ts';
import type { Timer } from '../../lib/timer.ts';
import type { TableName } from '../tables.ts';
import type { PrimaryConnections } from './primary-connections.ts';
import { quoteName } from './table-columns.ts';

const lockedTables = ['clients', 'groups', 'memberships'] as const satisfies readonly TableName[];

/** Milliseconds. */
const waitForTables = 4_500;
const waitForRow = 200;
/** While another transaction has precedence: a writer that waits for it holds a lane. */
const waitForRowBehind = 10;
const pollPause = 50;

/** Whether a transaction that wrote these tables can take precedence. */
export function canTakePrecedence(written: ReadonlySet<TableName>): boolean {
  return lockedTables.some((name) => written.has(name));
}

/** Reads whether a transaction has precedence now. LOCK takes no snapshot, so it is visible at once. */
const findPrecedence = {
  name: 'precedence.find',
  text: `select 1 from pg_locks where locktype = 'relation' and granted and mode = 'ShareRowExclusiveLock'
    and database = (select oid from pg_database where datname = current_database())
    and relation = '${quoteName(lockedTables[0])}'::regclass limit 1`,
};

export interface PrecedenceOptions {
  readonly connections: PrimaryConnections;
  readonly stopwatch: Stopwatch;
  readonly timer: Timer;
}

export class Precedence {
  readonly #options: PrecedenceOptions;
  #waitingCount = 0;

  constructor(options: PrecedenceOptions) {
    this.#options = options;
  }

  /** The statements that begin a transaction. The lock comes first: the snapshot of the transaction is taken after it. */
  toBegin(isPreceding: boolean): string {
    const limitWait = (milliseconds: number) => `set local lock_timeout = ${milliseconds}`;
    const lock = `lock table ${lockedTables.map(quoteName).join(', ')} in share row exclusive mode`;
    return [
      'begin isolation level serializable',
      ...(isPreceding ? [limitWait(waitForTables), lock] : []),
      limitWait(this.#waitingCount > 0 ? waitForRowBehind : waitForRow),
    ].join('; ');
  }

  /** Resolves when no transaction has precedence, or at this time of the stopwatch. */
  async waitForOthers(end: number): Promise<void> {
    const { connections, stopwatch, timer } = this.#options;
    this.#waitingCount += 1;
    try {
      while (stopwatch.now() < end && (await connections.query(findPrecedence, [])).rowCount === 1)
        await new Promise<void>((resolve) => timer.after(pollPause, resolve));
    } finally {
      this.#waitingCount -= 1;
    }
  }
}

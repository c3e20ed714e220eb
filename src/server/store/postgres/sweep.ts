/** Deletes rows of the engine itself that no server needs any more, now and every quarter of an hour. */
import type { Timer } from '../../lib/timer.ts';
import type { PrimaryConnections } from './primary-connections.ts';
import type { Statement } from './statements.ts';

/** A day of writes is many millions of rows: one statement for all of them would exceed its time limit, each time again. */
const rowsPerDelete = 5_000;

/** Servers sweep at the same time: each leaves out the rows that another one deletes. */
function createSweep(table: 'commits' | 'login_events', age: string): Statement {
  const expired = `select id from ${table} where at < now() - interval '${age}' order by at limit ${rowsPerDelete} for update skip locked`;
  return { name: `${table}.sweep`, text: `delete from ${table} where id = any(array(${expired}))` };
}

/** Marks of which no inquiry can begin any more: a transaction takes at most 5 minutes, and an inquiry begins within 5. */
const sweepCommits = createSweep('commits', '30 minutes');
/** Events of logins that count no more. */
const sweepLoginEvents = createSweep('login_events', '1 hour');
const sweepPause = 15 * 60_000;

/** @returns a function that ends it */
export function startSweeping(connections: PrimaryConnections, timer: Timer): () => void {
  let cancel = () => {};
  let isEnded = false;
  const deleteAll = async (sweep: Statement) => {
    let deleted = rowsPerDelete;
    while (deleted === rowsPerDelete && !isEnded) deleted = (await connections.query(sweep, [])).rowCount ?? 0;
  };
  const run = async () => {
    // After a failure, the next run deletes them.
    for (const sweep of [sweepCommits, sweepLoginEvents]) await deleteAll(sweep).catch(() => undefined);
    if (!isEnded) cancel = timer.after(sweepPause, run);
  };
  void run();
  return () => {
    isEnded = true;
    cancel();
  };
}

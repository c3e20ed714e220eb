/** Deletes rows of the engine itself that no server needs any more, now and every hour. */
import type { Timer } from '../../lib/timer.ts';
import { sweepLoginEvents } from './login-events.ts';
import type { PrimaryConnections } from './primary-connections.ts';

const sweepCommits = { name: 'commits.sweep', text: "delete from commits where at < now() - interval '1 day'" };
const sweepPause = 3_600_000;

/** @returns a function that ends it */
export function startSweeping(connections: PrimaryConnections, timer: Timer): () => void {
  let cancel = () => {};
  let isEnded = false;
  const run = async () => {
    // After a failure, the next run deletes them.
    await connections.query(sweepCommits, []).catch(() => undefined);
    await sweepLoginEvents(connections).catch(() => undefined);
    if (!isEnded) cancel = timer.after(sweepPause, run);
  };
  void run();
  return () => {
    isEnded = true;
    cancel();
  };
}

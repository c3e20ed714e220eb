/** Work that runs once at a time: under a lease that is acquired, renewed and released. The clock is that of the database. */
import type { Random } from '../../lib/random.ts';
import type { Stopwatch } from '../../lib/stopwatch.ts';
import type { Timer } from '../../lib/timer.ts';
import { StoreUnavailableError } from '../store.ts';
import type { PrimaryConnections } from './primary-connections.ts';

export interface LeaseDeps {
  readonly connections: PrimaryConnections;
  readonly stopwatch: Stopwatch;
  readonly timer: Timer;
  readonly random: Random;
  /** The name of this server. */
  readonly replica: string;
}

/** Milliseconds. */
const duration = 30_000;
const renewalPause = 10_000;
const retryPause = 1_000;
const pollPause = 100;
const maxWait = 60_000;
/** An acquisition is repeated for as long while the database does not respond. */
const maxFailing = 5_000;

/** Also succeeds if this acquisition did before, and its response was lost. */
const acquire = {
  name: 'leases.acquire',
  text: `insert into leases (name, holder, until) values ($1, $2, now() + $3 * interval '1 millisecond')
    on conflict (name) do update set holder = excluded.holder, until = excluded.until where leases.until < now() or leases.holder = excluded.holder`,
};
const renewal = {
  name: 'leases.renew',
  text: "update leases set until = now() + $3 * interval '1 millisecond' where name = $1 and holder = $2",
};
const release = { name: 'leases.release', text: 'delete from leases where name = $1 and holder = $2' };

/** See `SharedStore.runAlone`. */
export async function runUnderLease<Result>(
  name: string,
  work: () => Promise<Result>,
  deps: LeaseDeps,
): Promise<Result> {
  const { connections, timer, random, replica } = deps;
  // One server can run work of the same name several times.
  const holder = `${replica} ${random.uuid()}`;
  await acquireLease(name, holder, deps);
  const stopRenewing = keepRenewing(() => connections.query(renewal, [name, holder, duration]), timer);
  try {
    return await work();
  } finally {
    await stopRenewing();
    await connections.query(release, [name, holder]).catch(() => undefined);
  }
}

/** Resolves once the lease is acquired. Without a response it may be: the same holder then asks again. */
async function acquireLease(name: string, holder: string, deps: LeaseDeps): Promise<void> {
  const { connections, stopwatch, timer } = deps;
  const end = stopwatch.now() + maxWait;
  let failingSince: number | undefined;
  for (;;) {
    try {
      if ((await connections.query(acquire, [name, holder, duration])).rowCount === 1) return;
      failingSince = undefined;
    } catch (error) {
      failingSince ??= stopwatch.now();
      const isOver = stopwatch.now() - failingSince >= maxFailing;
      if (isOver || !(error instanceof StoreUnavailableError)) throw error;
    }
    if (stopwatch.now() >= end)
      throw new StoreUnavailableError(`Another server has been at work for a minute (${name}). Try again.`);
    await new Promise<void>((resolve) => timer.after(pollPause, resolve));
  }
}

function keepRenewing(renew: () => Promise<unknown>, timer: Timer): () => Promise<void> {
  let cancel = () => {};
  let isEnded = false;
  let renewing: Promise<void> = Promise.resolve();
  const schedule = (pause: number) => {
    if (isEnded) return;
    const onRenewed = () => schedule(renewalPause);
    const onFailed = () => schedule(retryPause);
    cancel = timer.after(pause, () => {
      renewing = renew().then(onRenewed, onFailed);
    });
  };
  schedule(renewalPause);
  return () => {
    isEnded = true;
    cancel();
    return renewing;
  };
}

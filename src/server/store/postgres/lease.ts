/** A lease: a name that one process holds for a time, and renews. The clock is that of the database. */
import type { Timer } from '../../lib/timer.ts';
import type { PrimaryConnections } from './primary-connections.ts';

export interface Lease {
  /** Whether the last renewal succeeded in time. */
  isHeld(): boolean;
  release(): Promise<void>;
}

export interface LeaseDeps {
  readonly connections: PrimaryConnections;
  readonly timer: Timer;
  /** Identifies this process. */
  readonly holder: string;
}

/** Milliseconds. */
const duration = 30_000;
const renewal = 10_000;

const take = {
  name: 'leases.take',
  text: `insert into leases (name, holder, until) values ($1, $2, now() + $3 * interval '1 millisecond')
    on conflict (name) do update set holder = excluded.holder, until = excluded.until
    where leases.holder = excluded.holder or leases.until < now()`,
};
const drop = { name: 'leases.drop', text: 'delete from leases where name = $1 and holder = $2' };

/** Takes a lease that no other process holds. @returns undefined if another process holds it */
export async function takeLease(name: string, deps: LeaseDeps): Promise<Lease | undefined> {
  const { connections, timer, holder } = deps;
  const renew = async () => (await connections.query(take, [name, holder, duration])).rowCount === 1;
  if (!(await renew())) return undefined;
  let isHeld = true;
  let cancel = () => {};
  const renewLater = () => {
    cancel = timer.after(renewal, () => {
      void renew()
        // While the database is away no other process can take it.
        .catch(() => isHeld)
        .then((isRenewed) => {
          isHeld = isRenewed;
          if (isHeld) renewLater();
        });
    });
  };
  renewLater();
  return {
    isHeld: () => isHeld,
    async release() {
      cancel();
      isHeld = false;
      await connections.query(drop, [name, holder]).catch(() => undefined);
    },
  };
}

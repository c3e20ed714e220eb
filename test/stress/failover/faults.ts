/** The faults of the failover suites. */
import { setTimeout } from 'node:timers/promises';
import { between } from '../../server/store/random.ts';
import type { GroupLoad } from './group-load.ts';
import type { PatroniMember } from './patroni-member.ts';
import type { TestBed } from './test-bed.ts';
import { insertSameKeys } from './unique-inserts.ts';

export interface FaultContext {
  readonly bed: TestBed;
  readonly load: GroupLoad;
  readonly primary: PatroniMember;
  /** Returns the next seeded random number from 0 to 1. */
  readonly draw: () => number;
  readonly seededBug: string | undefined;
}

/** A fault that was made. */
export interface FaultEffect {
  /** The first new write is measured from here: the fault, or the end of one that ends by itself. */
  readonly from: number;
  /** Repairs what is still broken, after the first new write. */
  repair?(): Promise<void> | void;
  /** @throws Error for what the fault did to answers that it must not do */
  verify?(): void;
}

export interface Fault {
  readonly name: string;
  readonly about: string;
  /** The longest time until the first new write, in milliseconds. */
  readonly limit: number;
  /** Why the fault cannot be made here. */
  findProblem?(context: Pick<FaultContext, 'bed'>): string | undefined;
  /** Makes the fault, and ends it if it ends by itself. */
  make(context: FaultContext): Promise<FaultEffect>;
}

/** Reads at once, of each server more than it has connections to the database. */
const burst = 40;

/** Loses the machine of the primary. Paused before, the standbys lack what was not acknowledged. */
const machine: Fault = {
  name: 'machine',
  about: 'kill -9 of Patroni and PostgreSQL of the primary, in half of the rounds with the standbys paused before',
  limit: 20_000,
  async make({ bed, load, primary, draw, seededBug }) {
    const arePaused = seededBug === 'asynchronous-commit' || draw() < 0.5;
    const standbys = arePaused ? bed.pauseReplication(primary) : undefined;
    if (arePaused) await setTimeout(400);
    load.burst(burst);
    primary.killMachine();
    standbys?.discard();
    return { from: performance.now(), repair: () => primary.start() };
  },
};

const postgres: Fault = {
  name: 'postgres',
  about: 'kill -9 of PostgreSQL of the primary, which Patroni starts again',
  limit: 10_000,
  async make({ load, primary }) {
    load.burst(burst);
    primary.killPostgres();
    return { from: performance.now() };
  },
};

/** Shorter and longer than the time after which Patroni elects another primary. */
const pause: Fault = {
  name: 'pause',
  about: 'SIGSTOP of all processes of the primary and of its Patroni for 1 to 25 s',
  limit: 20_000,
  async make({ load, primary, draw }) {
    const from = performance.now();
    const proceed = primary.pauseMachine();
    try {
      load.burst(burst);
      await setTimeout(between(draw, 1_000, 25_000));
    } finally {
      proceed();
    }
    return { from };
  },
};

const network: Fault = {
  name: 'network',
  about: 'a proxy between servers and primary drops everything for 1 to 12 s',
  limit: 10_000,
  async make({ bed, load, primary, draw }) {
    const proxy = bed.cluster.proxyOf(primary);
    proxy.setMode('drop');
    load.burst(burst);
    await setTimeout(between(draw, 1_000, 12_000));
    proxy.setMode('forward');
    return { from: performance.now() };
  },
};

/** The commit goes on without its connection, while the server finds out about it. */
const cut: Fault = {
  name: 'cut',
  about: 'connections cut while commits wait for paused standbys for 0.5 to 4 s',
  limit: 10_000,
  async make({ bed, primary, draw }) {
    const standbys = bed.pauseReplication(primary);
    await setTimeout(300);
    bed.cluster.proxyOf(primary).cut();
    await setTimeout(between(draw, 500, 4_000));
    standbys.continue();
    return { from: performance.now() };
  },
};

const disk: Fault = {
  name: 'disk',
  about: 'the disk of the primary is full for 3 to 10 s',
  limit: 30_000,
  findProblem: ({ bed }) =>
    bed.cluster.members.every(({ hasOwnDisk }) => hasOwnDisk) ? undefined : 'mounting a tmpfs needs root',
  async make({ primary, draw }) {
    const free = primary.fillDisk();
    await setTimeout(between(draw, 3_000, 10_000));
    free();
    return { from: performance.now() };
  },
};

const cancelWaiting = (how: 'cancel' | 'terminate') =>
  `select pg_${how}_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' and usename = 'iam'`;

/** The cancelled commit is visible on the primary, and on no other machine. */
const cancel: Fault = {
  name: 'cancel',
  about:
    'pg_cancel_backend or pg_terminate_backend of commits that wait for standbys; then these go on, or the primary is lost',
  limit: 20_000,
  async make({ bed, primary, draw, seededBug }) {
    const how = seededBug === 'ignore-notice' || draw() < 0.6 ? 'cancel' : 'terminate';
    const isLost = seededBug === 'ignore-notice' || draw() < 0.5;
    const standbys = bed.pauseReplication(primary);
    for (let times = between(draw, 3, 8); times > 0; times -= 1) {
      await setTimeout(150);
      await primary.query(cancelWaiting(how));
    }
    if (!isLost) {
      // In some rounds longer than the servers try to find out.
      await setTimeout(draw() < 0.3 ? 22_000 : between(draw, 0, 3_000));
      standbys.continue();
      return { from: performance.now() };
    }
    primary.killMachine();
    standbys.discard();
    return { from: performance.now(), repair: () => primary.start() };
  },
};

const server: Fault = {
  name: 'server',
  about: 'kill -9 of one iam server: the others answer no 5xx',
  limit: 40_000,
  async make({ bed, draw }) {
    const { servers, oracle } = bed;
    const at = between(draw, 0, servers.count);
    const countRefused = () => oracle.counts.refused + oracle.counts.refusedReads;
    const refusedBefore = countRefused();
    await servers.killOne(at);
    const from = performance.now();
    const restarted = servers.startOne(at);
    // Awaited by `repair`.
    restarted.catch(() => undefined);
    return {
      from,
      repair: () => restarted,
      verify() {
        const refused = countRefused() - refusedBefore;
        if (servers.count > 1 && refused > 0) throw new Error(`${refused} requests were refused by other servers`);
      },
    };
  },
};

const nameCount = 30;

/** Of transactions that find the name free, all but one fail with 40001 or 23505, and run again. */
const names: Fault = {
  name: 'names',
  about: 'inserts of the same key, and a new and a renamed group with the same name, at once: one succeeds',
  limit: 10_000,
  async make({ bed: { connection, cluster }, draw, seededBug }) {
    const from = performance.now();
    const keys = Array.from({ length: nameCount }, () => `key-${between(draw, 0, 2 ** 40)}`);
    const problems = [...(await insertSameKeys(cluster.databaseUrl, keys, seededBug))];
    for (let at = 0; at < nameCount; at += 1) {
      const name = `name-${between(draw, 0, 2 ** 40)}`;
      const other = `${name}-before`;
      await connection.send('POST', '/groups', { groupName: other });
      const answers = await Promise.all([
        connection.send('POST', '/groups', { groupName: name }),
        connection.send('PUT', `/groups/${other}`, { groupName: name, roles: ['RENAMED'] }),
      ]);
      const statuses = answers.map((answer) => answer?.status ?? 0);
      if (!isOneWinner(statuses)) problems.push(`${name} was answered with ${statuses.join(' and ')}`);
    }
    return {
      from,
      verify() {
        if (problems.length > 0) throw new Error(problems.slice(0, 5).join('\n'));
      },
    };
  },
};

/** Whether one request succeeded and the other was rejected. */
function isOneWinner(statuses: readonly number[]): boolean {
  const [low = 0, high = 0] = [...statuses].sort((one, other) => one - other);
  return low >= 200 && low < 300 && high >= 400 && high < 500;
}

/** Milliseconds. */
const awayTime = 60_000;
const answerLimit = 6_000;
/** Requests that were sent before may be commits that the servers try to find out about. */
const settleTime = 1_000;

const away: Fault = {
  name: 'away',
  about: 'no database for 60 s: 503 within 6 s, /readyz 503; ready and writing 3 s after',
  limit: 3_000,
  async make({ bed, load, draw }) {
    const { proxies } = bed.cluster;
    const isSilent = draw() < 0.5;
    for (const proxy of proxies) proxy.setMode(isSilent ? 'drop' : 'refuse');
    const begin = performance.now();
    for (let second = 0; second < awayTime / 1000; second += 1) {
      load.burst(5);
      await setTimeout(1_000);
    }
    const wasReady = await bed.servers.readStatus(0, '/readyz');
    for (const proxy of proxies) proxy.setMode('forward');
    const from = performance.now();
    return {
      from,
      verify() {
        const slowest = load.slowestBetween(begin + settleTime, from);
        if (slowest > answerLimit) throw new Error(`an answer without a database took ${Math.round(slowest)} ms`);
        if (wasReady !== 503) throw new Error(`/readyz was ${wasReady} without a database`);
      },
    };
  },
};

export const faults: readonly Fault[] = [machine, postgres, pause, network, cut, disk, cancel, server, names, away];

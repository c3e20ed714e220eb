/** Several servers on one database. */
import { systemStopwatch } from '../../../src/server/lib/stopwatch.ts';
import { systemTimer, type Timer } from '../../../src/server/lib/timer.ts';
import { createFakeClock, createGuard, startServer, type TestServer, type TestServerOptions } from '../../harness.ts';
import { databaseUrl } from '../database.ts';
import { TestSchemas } from '../schemas.ts';
import { startBalancer } from './balancer.ts';

export interface Replicas extends AsyncDisposable {
  readonly schema: string;
  readonly servers: readonly [TestServer, TestServer, ...TestServer[]];
  /** Stops this server, and starts another one in its place. Not for servers behind the balancer. */
  restart(index: number): Promise<void>;
}

interface ReplicaOptions extends TestServerOptions {
  /** Default: 2. */
  readonly count?: number;
  /** Clients of the first server send their requests to all servers in turn. */
  readonly isBalanced?: true;
  /** Default: the one that is provided to all tests. */
  readonly databaseUrl?: string;
  /** Changes wait for others longer than in real time, so that those of a slow machine are not rejected. */
  readonly isPatient?: true;
}

const speed = 20;
/** Milliseconds. Polls are shorter. */
const longDelay = 30_000;
/** Polls run sooner than in real time; the limits of those who wait for something do not. */
const fastTimer: Timer = {
  after: (milliseconds, work) =>
    systemTimer.after(milliseconds >= longDelay ? milliseconds : milliseconds / speed, work),
};

/** Milliseconds. The limit of a change that waits for a lane or a connection. */
const waitLimit = 5_000;
/** The renewal of the registration and its end by the clock stay real. */
const patientTime = {
  stopwatch: { now: () => systemStopwatch.now() / speed },
  timer: {
    after: (milliseconds, work) =>
      systemTimer.after(milliseconds === waitLimit ? milliseconds * speed : milliseconds, work),
  } satisfies Timer,
};

/** The server has to know that it can have others beside it; the tests open its store. */
const databaseFlags = { store: 'postgres', 'database-url': 'postgres://iam@127.0.0.1/iam' };

const sharedSchemas = new TestSchemas(databaseUrl);

/** They share one clock, and have the issuer of the balancer. */
export async function startReplicas({
  count = 2,
  isBalanced,
  databaseUrl,
  isPatient,
  ...options
}: ReplicaOptions = {}): Promise<Replicas> {
  const schemas = databaseUrl === undefined ? sharedSchemas : new TestSchemas(databaseUrl);
  const balancer = await startBalancer();
  const schema = await schemas.take();
  const shared = { timer: fastTimer, clock: createFakeClock(), guard: createGuard(), ...options };
  const start = (front?: TestServerOptions['front']) =>
    startServer({
      ...shared,
      ...(front ? { front } : {}),
      flags: { ...options.flags, ...databaseFlags, issuer: balancer.url },
      openStore: (sharedBy) => schemas.open({ schema, sharedBy, ...(isPatient && { time: patientTime }) }),
    });
  const first = await start(isBalanced && balancer);
  const others = await Promise.all(Array.from({ length: count - 1 }, () => start()));
  for (const { url } of others) balancer.add(url);
  const servers = [first, ...others];
  return {
    schema,
    servers: servers as unknown as Replicas['servers'],
    async restart(index) {
      await servers[index]?.[Symbol.asyncDispose]();
      servers[index] = await start();
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server[Symbol.asyncDispose]();
      await balancer[Symbol.asyncDispose]();
      schemas.release(schema);
    },
  };
}

/** Waits until `look` returns a value. */
export async function until<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Stores on PostgreSQL for tests: each has a schema of its own, which a later test uses again, emptied. */
import pg from 'pg';
import { systemClock } from '../../src/server/lib/clock.ts';
import { createReplicaName } from '../../src/server/lib/ids.ts';
import { systemRandom } from '../../src/server/lib/random.ts';
import { type Stopwatch, systemStopwatch } from '../../src/server/lib/stopwatch.ts';
import { systemTimer, type Timer } from '../../src/server/lib/timer.ts';
import type { ServerIdentity } from '../../src/server/store/open.ts';
import { openPostgresStore } from '../../src/server/store/postgres/open-postgres-store.ts';
import { storedTables } from '../../src/server/store/postgres/table-columns.ts';
import type { Store } from '../../src/server/store/store.ts';

export interface OpenTestStoreOptions {
  readonly schema?: string;
  /** The server that shares the store with others; alone by default. */
  readonly sharedBy?: ServerIdentity;
  /** Default: that of the system. */
  readonly time?: { readonly stopwatch: Stopwatch; readonly timer: Timer };
}

const systemTime = { stopwatch: systemStopwatch, timer: systemTimer };

export class TestSchemas {
  readonly #databaseUrl: string;
  readonly #free: string[] = [];
  #client: Promise<pg.Client> | undefined;

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  /** Returns the name of a schema without rows; it may not exist yet. */
  async take(): Promise<string> {
    const used = this.#free.pop();
    if (used !== undefined) await this.#empty(used);
    return used ?? `test_${systemRandom.uuid().replaceAll('-', '')}`;
  }

  /** Makes a schema available to others. */
  release(schema: string): void {
    this.#free.push(schema);
  }

  /** Opens a store in the given schema, or in one of its own, which is available to others once it is closed. */
  async open({ schema: shared, sharedBy, time = systemTime }: OpenTestStoreOptions = {}): Promise<Store> {
    const schema = shared ?? (await this.take());
    const store = await openPostgresStore({
      databaseUrl: this.#databaseUrl,
      schema,
      initialize: true,
      lanes: 2,
      replica: {
        name: sharedBy?.replica ?? createReplicaName(systemRandom),
        issuer: sharedBy?.issuer ?? 'http://iam.example',
        isExclusive: sharedBy === undefined,
      },
      clock: systemClock,
      random: systemRandom,
      ...time,
    });
    let closing: Promise<void> | undefined;
    const close = async () => {
      await store.close();
      if (shared === undefined) this.release(schema);
    };
    return { ...store, close: () => (closing ??= close()) };
  }

  /** Faster than truncate for few rows. */
  async #empty(schema: string): Promise<void> {
    this.#client ??= this.#connect();
    const names = [...storedTables().map(({ sqlName }) => sqlName), 'commits', 'login_events', 'leases', 'replicas'];
    await (await this.#client).query(names.map((name) => `delete from ${schema}."${name}";`).join(''));
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.#databaseUrl });
    await client.connect();
    return client;
  }
}

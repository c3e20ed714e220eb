/** Stores on PostgreSQL for tests: each has a schema of its own, which a later test uses again, emptied. */
import pg from 'pg';
import { systemRandom } from '../../src/server/lib/random.ts';
import { systemStopwatch } from '../../src/server/lib/stopwatch.ts';
import { systemTimer } from '../../src/server/lib/timer.ts';
import { openPostgresStore } from '../../src/server/store/postgres/open-postgres-store.ts';
import { storedTables } from '../../src/server/store/postgres/table-columns.ts';
import type { Store } from '../../src/server/store/store.ts';

export class TestSchemas {
  readonly #databaseUrl: string;
  readonly #free: string[] = [];
  #client: Promise<pg.Client> | undefined;

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  /** Opens an empty store. Closing it makes its schema available to others. */
  async open(): Promise<Store> {
    const used = this.#free.pop();
    const schema = used ?? `test_${systemRandom.uuid().replaceAll('-', '')}`;
    if (used !== undefined) await this.#empty(used);
    const store = await openPostgresStore({
      databaseUrl: this.#databaseUrl,
      schema,
      initialize: true,
      lanes: 2,
      random: systemRandom,
      stopwatch: systemStopwatch,
      timer: systemTimer,
    });
    let closing: Promise<void> | undefined;
    const close = async () => {
      await store.close();
      this.#free.push(schema);
    };
    return { ...store, close: () => (closing ??= close()) };
  }

  /** Faster than truncate for few rows. */
  async #empty(schema: string): Promise<void> {
    this.#client ??= this.#connect();
    const names = [...storedTables().map(({ sqlName }) => sqlName), 'commits'];
    await (await this.#client).query(names.map((name) => `delete from ${schema}."${name}";`).join(''));
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.#databaseUrl });
    await client.connect();
    return client;
  }
}

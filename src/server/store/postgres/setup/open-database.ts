/** Connects to a database and checks everything that must be right before a server uses it. */
import type { ClientConfig, PoolClient } from 'pg';
import { SettingError } from '../../../config/settings.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Random } from '../../../lib/random.ts';
import type { Stopwatch } from '../../../lib/stopwatch.ts';
import type { Timer } from '../../../lib/timer.ts';
import { StoreOpenError } from '../../open-error.ts';
import { parseDatabaseUrls } from '../database-url.ts';
import { PrimaryConnections } from '../primary-connections.ts';
import { assertClock } from '../registration.ts';
import { isUsable, migrateSchema, readSchemaState, type SchemaState } from './migrate.ts';
import { maxConnections, toOpenError } from './open-failure.ts';

export interface OpenDatabaseOptions {
  /** One URL or several, separated by commas. */
  readonly databaseUrl: string;
  readonly schema: string;
  /** Creates the tables in an empty schema, and applies missing migrations. */
  readonly initialize: boolean;
  /** For a copy: replaces one that was interrupted. */
  readonly replacesCopy?: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly stopwatch: Stopwatch;
  readonly timer: Timer;
}

/**
 * Connects, and creates or migrates the tables if that is requested. The caller closes the connections.
 * @param name the name of this process among the connections of the database
 * @throws StoreOpenError if the database cannot be used, with the next step
 */
export async function connectDatabase(
  options: OpenDatabaseOptions,
  name: string,
): Promise<{ readonly connections: PrimaryConnections; readonly migrated: readonly string[] }> {
  const connections = createConnections(options, name);
  try {
    await assertUsable({ ...options, connections });
    return { connections, migrated: await prepareSchema(connections, options) };
  } catch (error) {
    await connections.close();
    throw toOpenError(error);
  }
}

/** Connects without a look at the tables. @throws StoreOpenError */
export async function connectToInspect(options: Omit<OpenDatabaseOptions, 'initialize'>): Promise<PrimaryConnections> {
  const connections = createConnections(options, 'inspection');
  try {
    await assertUsable({ ...options, connections });
    return connections;
  } catch (error) {
    await connections.close();
    throw toOpenError(error);
  }
}

/** Checks before the first write what is wrong for every use. @throws StoreOpenError */
async function assertUsable(deps: Parameters<typeof assertClock>[0]): Promise<void> {
  await assertOwnSessions(deps.connections);
  await assertClock(deps);
}

/**
 * Behind a pooler that shares the connections of the database (PgBouncer in transaction mode), two connections have the
 * same process of the database, or one has another process later. @throws StoreOpenError
 */
async function assertOwnSessions(connections: PrimaryConnections): Promise<void> {
  const [first, second] = await acquireTwo(connections);
  try {
    const before = await readProcessId(first);
    const other = await readProcessId(second);
    if (before !== other && before === (await readProcessId(first))) return;
  } finally {
    first.release();
    second.release();
  }
  throw new StoreOpenError(
    'io',
    'A connection pooler shares the connections of the database between transactions. Nothing was changed. Connect to PostgreSQL itself, or set the pooler to session mode.',
  );
}

async function acquireTwo(connections: PrimaryConnections): Promise<readonly [PoolClient, PoolClient]> {
  const first = await connections.acquire();
  try {
    return [first, await connections.acquire()];
  } catch (error) {
    first.release();
    throw error;
  }
}

/** A simple query: a named statement can fail behind a pooler. */
async function readProcessId(client: PoolClient): Promise<string | undefined> {
  return (await client.query<{ pid: string }>('select pg_backend_pid() as pid')).rows[0]?.pid;
}

function createConnections(options: Omit<OpenDatabaseOptions, 'initialize'>, name: string): PrimaryConnections {
  const hosts = parseHosts(options.databaseUrl);
  return new PrimaryConnections({ ...options, hosts, applicationName: `iam ${name}`, maxConnections });
}

function parseHosts(databaseUrl: string): readonly ClientConfig[] {
  try {
    return parseDatabaseUrls(databaseUrl);
  } catch (error) {
    throw new SettingError(`The address of the database ${(error as Error).message}`);
  }
}

async function prepareSchema(
  connections: PrimaryConnections,
  { schema, initialize, replacesCopy }: Pick<OpenDatabaseOptions, 'schema' | 'initialize' | 'replacesCopy'>,
): Promise<readonly string[]> {
  const client = await connections.acquire();
  try {
    const state = await readSchemaState(client, schema);
    if (isUsable(state) || (state === 'copying' && replacesCopy)) {
      client.release();
      return [];
    }
    if (!initialize || state === 'copying' || state === 'foreign' || state === 'newer')
      throw createStateError(state, schema);
    const migrated = await migrateSchema(client, schema);
    client.release();
    return migrated;
  } catch (error) {
    client.release(true);
    throw error instanceof StoreOpenError ? error : connections.explain(error, client);
  }
}

function createStateError(state: Exclude<SchemaState, 'current' | 'ahead'>, schema: string): StoreOpenError {
  switch (state) {
    case 'empty':
      return new StoreOpenError('not-ours', `Schema ${schema} has no tables. Run \`iam store init\`, or add --init.`);
    case 'older':
      return new StoreOpenError(
        'not-ours',
        `Schema ${schema} is of an older version. Make a backup, then run \`iam store migrate\`.`,
      );
    case 'copying':
      return new StoreOpenError(
        'not-ours',
        `Schema ${schema} is the target of a copy that runs or was interrupted. Run \`iam store copy\` again, or drop the schema.`,
      );
    case 'newer':
      return new StoreOpenError(
        'newer-format',
        `Schema ${schema} is of a newer version of this program. Use that version.`,
      );
    case 'foreign':
      return new StoreOpenError(
        'not-ours',
        `Schema ${schema} contains tables of another program, or from before the first release. Nothing was changed. Use another schema or database.`,
      );
  }
}

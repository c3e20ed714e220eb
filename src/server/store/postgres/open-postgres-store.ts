/** Opens the store on PostgreSQL: shared with other servers, or for one alone. */
import type { ClientConfig } from 'pg';
import { SettingError } from '../../config/settings.ts';
import type { Clock } from '../../lib/clock.ts';
import { createReplicaName } from '../../lib/ids.ts';
import type { Random } from '../../lib/random.ts';
import type { Stopwatch } from '../../lib/stopwatch.ts';
import type { Timer } from '../../lib/timer.ts';
import { StoreOpenError } from '../file/open-error.ts';
import type { SharedStore, Store } from '../store.ts';
import { parseDatabaseUrls } from './database-url.ts';
import { runUnderLease } from './lease.ts';
import { createEventJournal } from './login-events.ts';
import { migrateSchema, readSchemaState, type SchemaState } from './migrate.ts';
import { PostgresStore, toPostgresStore } from './postgres-store.ts';
import { PrimaryConnections } from './primary-connections.ts';
import { assertClock, type Registration, type ReplicaDescription, registerReplica } from './registration.ts';
import { sqlStateOf } from './sql-errors.ts';

export interface OpenDatabaseOptions {
  /** One URL or several, separated by commas. */
  readonly databaseUrl: string;
  readonly schema: string;
  /** Creates the tables in an empty schema, and applies missing migrations. */
  readonly initialize: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly stopwatch: Stopwatch;
  readonly timer: Timer;
}

export interface OpenPostgresOptions extends OpenDatabaseOptions {
  readonly lanes: number;
  readonly replica: ReplicaDescription;
}

const maxConnections = 10;

/** @throws StoreOpenError if the database cannot be used, with the next step */
export async function openPostgresStore(options: OpenPostgresOptions): Promise<Store> {
  const { replica } = options;
  const { connections, registration } = await openDatabase(options, replica);
  const shared = replica.isExclusive ? {} : { shared: createSharedStore(connections, options) };
  return toPostgresStore(new PostgresStore({ ...options, connections, registration, ...shared }));
}

function createSharedStore(connections: PrimaryConnections, options: OpenPostgresOptions): SharedStore {
  const replica = options.replica.name;
  return {
    replica,
    runAlone: (name, work) => runUnderLease(name, work, { ...options, connections, holder: replica }),
    loginEvents: createEventJournal({ ...options, connections, replica }),
  };
}

/** Runs `work` while no server uses the database. @throws StoreOpenError as `openPostgresStore` */
export async function withExclusiveDatabase<Result>(
  options: OpenDatabaseOptions,
  work: (connections: PrimaryConnections) => Promise<Result>,
): Promise<Result> {
  const replica = { name: createReplicaName(options.random), issuer: '', isExclusive: true };
  const { connections, registration } = await openDatabase(options, replica);
  try {
    return await work(connections);
  } finally {
    await registration.release();
    await connections.close();
  }
}

interface OpenDatabase {
  readonly connections: PrimaryConnections;
  readonly registration: Registration;
}

async function openDatabase(options: OpenDatabaseOptions, replica: ReplicaDescription): Promise<OpenDatabase> {
  const { schema } = options;
  const hosts = parseHosts(options.databaseUrl);
  const applicationName = `iam ${replica.name}`;
  const connections = new PrimaryConnections({ ...options, hosts, schema, applicationName, maxConnections });
  const deps = { ...options, connections };
  try {
    await assertClock(deps);
    await prepareSchema(connections, options);
    return { connections, registration: await registerReplica(replica, deps) };
  } catch (error) {
    await connections.close();
    throw toOpenError(error);
  }
}

function parseHosts(databaseUrl: string): readonly ClientConfig[] {
  try {
    return parseDatabaseUrls(databaseUrl);
  } catch (error) {
    throw new SettingError(`--database-url ${(error as Error).message}`);
  }
}

async function prepareSchema(
  connections: PrimaryConnections,
  { schema, initialize }: Pick<OpenPostgresOptions, 'schema' | 'initialize'>,
): Promise<void> {
  const client = await connections.acquire();
  try {
    const state = await readSchemaState(client, schema);
    if (state === 'current') return;
    if (!initialize || state === 'foreign' || state === 'newer') throw createStateError(state, schema);
    await migrateSchema(client, schema);
  } finally {
    client.release();
  }
}

function createStateError(state: Exclude<SchemaState, 'current'>, schema: string): StoreOpenError {
  switch (state) {
    case 'empty':
      return new StoreOpenError('not-ours', `Schema ${schema} has no tables. Add --init to create them.`);
    case 'older':
      return new StoreOpenError(
        'not-ours',
        `Schema ${schema} is of an older version. Add --init to migrate it, after a backup.`,
      );
    case 'newer':
      return new StoreOpenError(
        'newer-format',
        `Schema ${schema} is of a newer version of this program. Use that version.`,
      );
    case 'foreign':
      return new StoreOpenError(
        'not-ours',
        `Schema ${schema} contains tables of another program. Nothing was changed. Use another schema or database.`,
      );
  }
}

/** One line; the errors of the driver contain no password. */
function toOpenError(error: unknown): unknown {
  if (error instanceof StoreOpenError) return error;
  const cause = rootCause(error);
  const state = sqlStateOf(cause);
  const message = cause instanceof Error ? cause.message : String(cause);
  if (state === '28P01' || state === '28000')
    return new StoreOpenError('io', `The database rejected the user or its password: ${message}.`, { cause: error });
  return new StoreOpenError('io', `The database cannot be used: ${message}. Check --database-url.`, { cause: error });
}

function rootCause(error: unknown): unknown {
  if (error instanceof AggregateError) return rootCause(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? rootCause(error.cause) : error;
}

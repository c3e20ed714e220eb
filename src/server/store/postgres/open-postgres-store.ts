/** Opens the store on PostgreSQL, for one server at a time. */
import type { ClientConfig } from 'pg';
import { SettingError } from '../../config/settings.ts';
import type { Random } from '../../lib/random.ts';
import type { Stopwatch } from '../../lib/stopwatch.ts';
import type { Timer } from '../../lib/timer.ts';
import { StoreOpenError } from '../file/open-error.ts';
import type { Store } from '../store.ts';
import { parseDatabaseUrls } from './database-url.ts';
import { type Lease, takeLease } from './lease.ts';
import { migrateSchema, readSchemaState, type SchemaState } from './migrate.ts';
import { PostgresStore, toPostgresStore } from './postgres-store.ts';
import { PrimaryConnections } from './primary-connections.ts';
import { sqlStateOf } from './sql-errors.ts';

export interface OpenPostgresOptions {
  /** One URL or several, separated by commas. */
  readonly databaseUrl: string;
  readonly schema: string;
  /** Creates the tables in an empty schema, and applies missing migrations. */
  readonly initialize: boolean;
  readonly lanes: number;
  readonly random: Random;
  readonly stopwatch: Stopwatch;
  readonly timer: Timer;
}

const maxConnections = 10;

/** A database that this process alone uses. */
export interface ExclusiveDatabase {
  readonly connections: PrimaryConnections;
  readonly lease: Lease;
}

/** @throws StoreOpenError if the database cannot be used, with the next step */
export async function openPostgresStore(options: OpenPostgresOptions): Promise<Store> {
  const database = await openDatabase(options);
  return toPostgresStore(new PostgresStore({ ...options, ...database }));
}

/** Runs `work` while no server uses the database. @throws StoreOpenError as `openPostgresStore` */
export async function withExclusiveDatabase<Result>(
  options: Omit<OpenPostgresOptions, 'lanes'>,
  work: (connections: PrimaryConnections) => Promise<Result>,
): Promise<Result> {
  const { connections, lease } = await openDatabase(options);
  try {
    return await work(connections);
  } finally {
    await lease.release();
    await connections.close();
  }
}

async function openDatabase(options: Omit<OpenPostgresOptions, 'lanes'>): Promise<ExclusiveDatabase> {
  const { databaseUrl, schema, random, stopwatch, timer } = options;
  const holder = random.uuid();
  const connections = new PrimaryConnections({
    hosts: parseHosts(databaseUrl),
    schema,
    applicationName: `iam ${holder}`,
    maxConnections,
    stopwatch,
    timer,
  });
  try {
    await prepareSchema(connections, options);
    const lease = await takeLease('exclusive', { connections, timer, holder });
    if (lease) return { connections, lease };
    throw new StoreOpenError(
      'in-use',
      `Schema ${schema}: another server uses it. Stop that server first; after a crash, wait 30 seconds.`,
    );
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

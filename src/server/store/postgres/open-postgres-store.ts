/** Opens the store on PostgreSQL: shared with other servers, or for one alone. */
import { createReplicaName } from '../../lib/ids.ts';
import { toInterruptedStartError } from '../open-error.ts';
import type { SharedStore, Store } from '../store.ts';
import { runUnderLease } from './lease.ts';
import { createEventJournal } from './login-events.ts';
import { PostgresStore, toPostgresStore } from './postgres-store.ts';
import type { PrimaryConnections } from './primary-connections.ts';
import { noRegistration, type Registration, type ReplicaDescription, registerReplica } from './registration.ts';
import { connectDatabase, type OpenDatabaseOptions } from './setup/open-database.ts';
import { toOpenError } from './setup/open-failure.ts';

export interface OpenPostgresOptions extends OpenDatabaseOptions {
  readonly lanes: number;
  readonly replica: ReplicaDescription;
}

/** @throws StoreOpenError if the database cannot be used, with the next step */
export async function openPostgresStore(options: OpenPostgresOptions): Promise<Store> {
  const { replica } = options;
  const database = await registerWithDatabase(options, replica);
  const shared = replica.isExclusive ? {} : { shared: createSharedStore(database.connections, replica.name, options) };
  return toPostgresStore(new PostgresStore({ ...options, ...database, ...shared }));
}

/**
 * Creates or migrates the tables, and runs `work` with the store while no other server sets it up; servers may use it.
 * @returns the result, and the names of the migrations that were applied
 * @throws StoreOpenError as `openPostgresStore`
 */
export async function withSetupStore<Result>(
  options: OpenDatabaseOptions,
  work: (store: Store) => Promise<Result>,
): Promise<{ readonly result: Result; readonly migrated: readonly string[] }> {
  const name = createReplicaName(options.random);
  const { connections, migrated } = await connectDatabase(options, name);
  const shared = createSharedStore(connections, name, options);
  const engine = new PostgresStore({ ...options, lanes: 1, connections, registration: noRegistration, shared });
  const store = toPostgresStore(engine);
  try {
    return { result: await shared.runAlone('setup', () => work(store)), migrated };
  } catch (error) {
    throw toInterruptedStartError(error);
  } finally {
    await store.close();
  }
}

/** Runs `work` while no server uses the database. @throws StoreOpenError as `openPostgresStore` */
export async function withExclusiveDatabase<Result>(
  options: OpenDatabaseOptions,
  work: (connections: PrimaryConnections) => Promise<Result>,
): Promise<Result> {
  const replica = { name: createReplicaName(options.random), issuer: '', isExclusive: true };
  const { connections, registration } = await registerWithDatabase(options, replica);
  try {
    return await work(connections);
  } catch (error) {
    throw toOpenError(error);
  } finally {
    await registration.release();
    await connections.close();
  }
}

async function registerWithDatabase(
  options: OpenDatabaseOptions,
  replica: ReplicaDescription,
): Promise<{ readonly connections: PrimaryConnections; readonly registration: Registration }> {
  const { connections } = await connectDatabase(options, replica.name);
  try {
    return { connections, registration: await registerReplica(replica, { ...options, connections }) };
  } catch (error) {
    await connections.close();
    throw toOpenError(error);
  }
}

function createSharedStore(
  connections: PrimaryConnections,
  replica: string,
  options: OpenDatabaseOptions,
): SharedStore {
  return {
    replica,
    runAlone: (name, work) => runUnderLease(name, work, { ...options, connections, replica }),
    loginEvents: createEventJournal({ ...options, connections, replica }),
  };
}

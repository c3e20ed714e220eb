/** Reads what an operator should know about a database before servers depend on it. Changes nothing. */
import type { PoolClient } from 'pg';
import { countSynchronousStandbys } from '../database-state.ts';
import type { PrimaryConnections } from '../primary-connections.ts';
import { isUsable, readSchemaState, type SchemaState } from './migrate.ts';
import { connectToInspect, type OpenDatabaseOptions } from './open-database.ts';

export interface DatabaseReport {
  /** Such as 150018. */
  readonly version: number;
  readonly schema: SchemaState;
  /** `fsync`, `full_page_writes` and `synchronous_commit`. */
  readonly settings: Readonly<Record<string, string>>;
  /** Standbys that must have a change before it is acknowledged: the setting `synchronous_standby_names`. */
  readonly requiredStandbys: string;
  /** Connected standbys that are synchronous now; undefined if this user may not see them. */
  readonly synchronousStandbys: number | undefined;
  /** Whether this user may cancel the statements of others, also a commit that waits for a standby. */
  readonly maySignalBackends: boolean;
  readonly maxConnections: number;
  readonly usedConnections: number;
  /** Servers that are registered now. */
  readonly replicas: readonly { readonly name: string; readonly issuer: string; readonly isExclusive: boolean }[];
}

const facts = `select current_setting('server_version_num') as version,
  current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
  current_setting('synchronous_commit') as synchronous_commit,
  current_setting('synchronous_standby_names') as standbys,
  current_setting('max_connections') as max_connections,
  (select count(*) from pg_stat_activity where backend_type = 'client backend')::text as used_connections,
  ${countSynchronousStandbys} as synchronous,
  (pg_has_role(current_user, 'pg_signal_backend', 'member')
    or (select rolsuper from pg_roles where rolname = current_user))::text as may_signal`;

/** @throws StoreOpenError if no host can be used */
export async function inspectDatabase(options: Omit<OpenDatabaseOptions, 'initialize'>): Promise<DatabaseReport> {
  const connections = await connectToInspect(options);
  try {
    return await readReport(connections, options.schema);
  } finally {
    await connections.close();
  }
}

async function readReport(connections: PrimaryConnections, schema: string): Promise<DatabaseReport> {
  const client = await connections.acquire();
  try {
    const row = (await client.query<Record<string, string | null>>(facts)).rows[0] ?? {};
    const state = await readSchemaState(client, schema);
    const { fsync, full_page_writes, synchronous_commit } = row;
    return {
      version: Number(row.version),
      schema: state,
      settings: {
        fsync: fsync ?? '',
        full_page_writes: full_page_writes ?? '',
        synchronous_commit: synchronous_commit ?? '',
      },
      requiredStandbys: row.standbys ?? '',
      synchronousStandbys: row.synchronous === null ? undefined : Number(row.synchronous),
      maySignalBackends: row.may_signal === 'true',
      maxConnections: Number(row.max_connections),
      usedConnections: Number(row.used_connections),
      replicas: await readReplicas(client, state),
    };
  } finally {
    client.release();
  }
}

async function readReplicas(client: PoolClient, state: SchemaState): Promise<DatabaseReport['replicas']> {
  if (!isUsable(state)) return [];
  const { rows } = await client.query<{ name: string; issuer: string; exclusive: string }>(
    'select name, issuer, exclusive::text from replicas where until >= now() order by name',
  );
  return rows.map(({ name, issuer, exclusive }) => ({ name, issuer, isExclusive: exclusive === 'true' }));
}

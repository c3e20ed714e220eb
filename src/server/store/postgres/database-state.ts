/** Identifies a database and its history, so that a running server notices one that was rebuilt, restored or replaced. */
import type { QueryResult } from 'pg';
import { sqlStateOf } from './sql-errors.ts';

/** All copies of one database by replication have the same identity; a dump that is restored gets another one. */
export interface DatabaseIdentity {
  /** Of the cluster, made by initdb, and of the database in it; undefined if the user may not read it. */
  readonly system: string | undefined;
  /** The object id of the schema; undefined before it is created. */
  readonly schema: string | undefined;
}

export interface DatabaseState {
  readonly identity: DatabaseIdentity;
  /** Each promotion of a standby increases it. */
  readonly timeline: number;
}

interface StateRow {
  readonly timeline: string;
  readonly system_id?: string | null;
  readonly schema_id?: string | null;
}

/** The first eight digits of the name of a WAL file are its timeline. */
const facts = `substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline,
  (select oid::text from pg_namespace where nspname = current_setting('search_path')) as schema_id`;
const systemId = `(select system_identifier from pg_control_system()) || '/' ||
  (select oid from pg_database where datname = current_database()) as system_id`;

/** @param run runs a text without parameters on a primary */
export async function readDatabaseState(run: (text: string) => Promise<QueryResult<StateRow>>): Promise<DatabaseState> {
  const { rows } = await run(`select ${facts}, ${systemId}`).catch((error: unknown) => {
    // insufficient_privilege: everyone may call the function unless an administrator has revoked it.
    if (sqlStateOf(error) !== '42501') throw error;
    return run(`select ${facts}`);
  });
  const [row] = rows;
  return {
    identity: { system: row?.system_id ?? undefined, schema: row?.schema_id ?? undefined },
    timeline: Number.parseInt(row?.timeline ?? '0', 16),
  };
}

/** Whether both can be of the same database. */
export function isSameDatabase(one: DatabaseIdentity, other: DatabaseIdentity): boolean {
  const isSame = (a: string | undefined, b: string | undefined) => a === undefined || b === undefined || a === b;
  return isSame(one.system, other.system) && isSame(one.schema, other.schema);
}

/** What is known of a database from both. */
export function mergeIdentities(one: DatabaseIdentity, other: DatabaseIdentity): DatabaseIdentity {
  return { system: one.system ?? other.system, schema: one.schema ?? other.schema };
}

/** Connected standbys that are synchronous now; null if the user may not see their state. */
export const countSynchronousStandbys = `(select case when bool_or(sync_state is null) then null
    else count(*) filter (where sync_state in ('sync', 'quorum')) end from pg_stat_replication)::text`;

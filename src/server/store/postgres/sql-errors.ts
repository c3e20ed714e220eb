/** What an error of the database or of its connection means for a transaction (SQLSTATE, PostgreSQL appendix A). */

/** The five characters of SQLSTATE; undefined for an error of the connection. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && typeof severity === 'string' ? code : undefined;
}

/** serialization_failure, deadlock_detected, and unique_violation on a value that the work had seen free. */
const conflictStates = new Set(['40001', '40P01', '23505']);

/** Whether the same work can succeed when it runs again. */
export function isConflict(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && conflictStates.has(state);
}

/** unique_violation. */
export function isDuplicate(error: unknown): boolean {
  return sqlStateOf(error) === '23505';
}

/** Whether COMMIT may have succeeded although it failed: statement_completion_unknown, or no response. */
export function isAmbiguous(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === undefined || state === '40003' || isConnectionState(state);
}

/** Whether the database is out of reach, is starting or stopping, or is not the primary (any more). */
export function isUnavailable(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === undefined) return true;
  return isConnectionState(state) || unavailableStates.has(state);
}

/** read_only_sql_transaction, lock_not_available, too_many_connections, query_canceled, idle_in_transaction_session_timeout, disk_full. */
const unavailableStates = new Set(['25006', '55P03', '53300', '57014', '25P03', '53100']);

/** Whether another host may be the primary now: the connection is lost, or it accepts no writes. */
export function isPrimaryLost(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === undefined || state === '25006' || isConnectionState(state);
}

/** Classes 08 (connection exception) and 57P (operator intervention). */
function isConnectionState(state: string): boolean {
  return state.startsWith('08') || state.startsWith('57P');
}

/** What an error of the database or of its connection means for a transaction (SQLSTATE, PostgreSQL appendix A). */

/** The five characters of SQLSTATE; undefined for an error of the connection. */
export function sqlStateOf(error: unknown): string | undefined {
  const isOfDatabase = error instanceof Error && typeof (error as { severity?: unknown }).severity === 'string';
  return isOfDatabase ? codeOf(error) : undefined;
}

/** SQLSTATE, or the code of an error of Node; undefined for an error of the driver itself. */
export function codeOf(error: unknown): string | undefined {
  const { code } = error instanceof Error ? (error as { code?: unknown }) : {};
  return typeof code === 'string' ? code : undefined;
}

/** serialization_failure, deadlock_detected, lock_not_available, and unique_violation on a value that the work had seen free. */
const conflictStates = new Set(['40001', '40P01', '55P03', '23505']);

/** Whether the same work can succeed when it runs again. */
export function isConflict(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && conflictStates.has(state);
}

/** lock_not_available: another transaction still has the row or the table. */
export function isWaitTooLong(error: unknown): boolean {
  return sqlStateOf(error) === '55P03';
}

/** unique_violation. */
export function isDuplicate(error: unknown): boolean {
  return sqlStateOf(error) === '23505';
}

/** not_null_violation. */
export function isMissingValue(error: unknown): boolean {
  return sqlStateOf(error) === '23502';
}

/** too_many_connections. */
export function isTooManyConnections(error: unknown): boolean {
  return sqlStateOf(error) === '53300';
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

/** Codes of Node for a host that does not respond now. Not ENOTFOUND: the address is wrong. */
const temporaryCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EAI_AGAIN',
]);

/** The conflicts, read_only_sql_transaction, lock_not_available, query_canceled, idle_in_transaction_session_timeout. */
const temporaryStates = new Set(['40001', '40P01', '25006', '55P03', '57014', '25P03']);
/** protocol_violation of a pooler, and database_dropped: they stay. */
const lastingStates = new Set(['08P01', '57P04']);

/** Whether an error with a code can pass without a change of the settings; undefined for one without a code. */
export function isTemporaryDatabaseError(error: unknown): boolean | undefined {
  const state = sqlStateOf(error);
  if (state === undefined) {
    const code = codeOf(error);
    return code === undefined ? undefined : temporaryCodes.has(code);
  }
  if (lastingStates.has(state)) return false;
  // Class 53: insufficient resources.
  return temporaryStates.has(state) || isConnectionState(state) || state.startsWith('53');
}

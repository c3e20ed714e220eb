/** What operators read when a database cannot be used, and whether it can pass. */
import { StoreOpenError } from '../../open-error.ts';
import { OutcomeUnknownError, StoreUnavailableError } from '../../store.ts';
import { ConnectionRejectedError, PoolerError, SeveralDatabasesError } from '../connection-errors.ts';
import { isTemporaryDatabaseError, sqlStateOf } from '../sql-errors.ts';

/** Of each server. */
export const maxConnections = 10;

/** The error for operators, in one line; the errors of the driver contain no password. */
export function toOpenError(error: unknown): unknown {
  if (error instanceof StoreOpenError) return error;
  if (error instanceof OutcomeUnknownError)
    return new StoreOpenError('unavailable', 'The database did not confirm the changes. Run the command again.', {
      cause: error,
    });
  const causes = findRootCauses(error);
  // While one host does not respond, it may be the primary.
  const temporary = causes.find((cause) => isTemporary(cause, error));
  const messages = causes.map((cause) => (cause instanceof Error ? cause.message : String(cause)));
  const message = [...new Set(messages)].join('; ');
  if (temporary === undefined) return new StoreOpenError('io', describeFailure(causes[0], message), { cause: error });
  return new StoreOpenError('unavailable', describeTemporaryFailure(temporary, message), { cause: error });
}

/** Of several hosts, each has its own. */
function findRootCauses(error: unknown): readonly unknown[] {
  if (error instanceof AggregateError) return error.errors.flatMap(findRootCauses);
  // The cause of a rejected connection is the error of the driver, with the same message.
  const isRoot = !(error instanceof Error) || error.cause === undefined || error instanceof ConnectionRejectedError;
  return isRoot ? [error] : findRootCauses(error.cause);
}

/** An error of the driver without a code is a timeout or a lost connection; any other is a bug. */
function isTemporary(cause: unknown, error: unknown): boolean {
  const isConfigured = [ConnectionRejectedError, PoolerError, SeveralDatabasesError].some(
    (type) => cause instanceof type,
  );
  if (isConfigured) return false;
  if (cause instanceof StoreUnavailableError) return true;
  return isTemporaryDatabaseError(cause) ?? error instanceof StoreUnavailableError;
}

function describeTemporaryFailure(cause: unknown, message: string): string {
  // too_many_connections
  if (sqlStateOf(cause) === '53300')
    return `The database has no free connection: ${message}. Each server uses up to ${maxConnections}: raise max_connections, or run fewer servers.`;
  return `The database cannot be used now: ${message}. Try again later, or check the address.`;
}

function describeFailure(cause: unknown, message: string): string {
  if (cause instanceof PoolerError) return `The database cannot be used: ${message}.`;
  if (cause instanceof SeveralDatabasesError)
    return `The database cannot be used: ${message}. Name only the hosts of one database and its standbys.`;
  switch (sqlStateOf(cause)) {
    case '28P01':
    case '28000':
      return `The database rejected the user or its password: ${message}.`;
    // insufficient_privilege
    case '42501':
      return `The user lacks a right: ${message}. It needs to own the schema, or to have the right to create it in the database.`;
    // protocol_violation: a pooler that accepts only some parameters, such as PgBouncer
    case '08P01':
      return `The connection was refused: ${message}. Connect to PostgreSQL itself, without a connection pooler.`;
    default:
      return `The database cannot be used: ${message}. Check the address and its password.`;
  }
}

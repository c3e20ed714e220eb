/** Failures of a connection that the driver does not distinguish by a code. */

/** The connection could not be established, and not because it was lost: missing TLS, or a password that does not fit. */
export class ConnectionRejectedError extends Error {
  override readonly name = 'ConnectionRejectedError';
}

export class ReadOnlyHostError extends Error {
  override readonly name = 'ReadOnlyHostError';
}

/** A pooler does not pass on what servers rely on. */
export class PoolerError extends Error {
  override readonly name = 'PoolerError';
}

/** A database that was restored or rebuilt looks the same. */
export class OldPrimaryError extends Error {
  override readonly name = 'OldPrimaryError';

  constructor() {
    super('The database is of before a failover, or was restored: in that case, restart all servers.');
  }
}

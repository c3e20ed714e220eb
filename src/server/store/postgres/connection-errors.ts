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

/** The host with the highest timeline is not found any more. */
export class OldPrimaryError extends Error {
  override readonly name = 'OldPrimaryError';

  constructor() {
    super('The database is of before a failover, or was restored: in that case, restart all servers.');
  }
}

/** Servers have state of the database that they used before, such as signing keys. */
export class ReplacedDatabaseError extends Error {
  override readonly name = 'ReplacedDatabaseError';

  constructor() {
    super('The database was replaced by another one, or was restored: in that case, restart all servers.');
  }
}

/** At the first search, none of them can be chosen: the other one may be that of the service. */
export class SeveralDatabasesError extends Error {
  override readonly name = 'SeveralDatabasesError';

  constructor(hosts: readonly string[]) {
    super(`${hosts.join(' and ')} accept writes, but are not one database`);
  }
}

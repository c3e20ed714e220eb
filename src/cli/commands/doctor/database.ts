/** Checks of the PostgreSQL database that servers use, read from the database itself. */
import type { DatabaseReport } from '../../../server/store/postgres/setup/inspect-database.ts';
import type { CommandOptions, Context } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { findDatabase, withDatabaseSetup } from '../store/database-options.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const minVersion = 15;
/** The connections that a server can use. */
const connectionsPerServer = 10;

/** @returns no findings if no database is configured */
export async function checkDatabase(context: Context, options: CommandOptions): Promise<Finding[]> {
  const database = await findDatabase(context, options);
  if (!database) return [];
  try {
    const report = await withDatabaseSetup(({ readDatabaseReport }) => readDatabaseReport(database));
    return [
      checkVersion(report),
      checkSchema(report, database.schema),
      checkLocalDurability(report),
      checkStandbys(report),
      checkRole(report),
      checkConnections(report),
    ];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [fail('database', error.message, 'See docs/postgres.md for the addresses, TLS and the password.')];
  }
}

function checkVersion({ version }: DatabaseReport): Finding {
  const text = `PostgreSQL ${Math.floor(version / 10_000)}, primary; the clocks agree`;
  return version >= minVersion * 10_000
    ? ok('database', text)
    : fail('database', text, `Use PostgreSQL ${minVersion} or later.`);
}

function checkSchema({ schema, replicas }: DatabaseReport, name: string): Finding {
  switch (schema) {
    case 'current':
      return ok('tables', `schema ${name} is current; ${describeServers(replicas)}`);
    case 'ahead':
      return warn(
        'tables',
        `Schema ${name} is one migration ahead of this version, which can use it; ${describeServers(replicas)}.`,
        'Replace this version and its servers by the newer one before the next upgrade.',
      );
    case 'empty':
      return warn('tables', `Schema ${name} has no tables.`, 'Run `iam store init`.');
    case 'copying':
      return fail(
        'tables',
        `Schema ${name} is the target of a copy that runs or was interrupted.`,
        'Run `iam store copy` again, or drop the schema.',
      );
    case 'older':
      return warn('tables', `Schema ${name} is of an older version.`, 'Make a backup, then run `iam store migrate`.');
    case 'newer':
      return fail('tables', `Schema ${name} is of a newer version than this command.`, 'Install that version.');
    case 'foreign':
      return fail(
        'tables',
        `Schema ${name} contains tables of another program.`,
        'Choose another schema with --database-schema.',
      );
  }
}

function describeServers(replicas: DatabaseReport['replicas']): string {
  const alone = replicas.some(({ isExclusive }) => isExclusive) ? ', which uses the database alone' : '';
  return `servers: ${replicas.map(({ name }) => name).join(', ') || 'none'}${alone}`;
}

/** Without these, a crash of the machine of the database can lose or damage acknowledged writes. */
function checkLocalDurability({ settings }: DatabaseReport): Finding {
  const needed = { fsync: ['on'], full_page_writes: ['on'], synchronous_commit: ['on', 'remote_apply'] };
  const wrong = Object.entries(needed).filter(([name, values]) => !values.includes(settings[name] ?? ''));
  if (wrong.length === 0) return ok('durability', 'a crash of the machine of the database loses no acknowledged write');
  const list = wrong.map(([name]) => `${name} = ${settings[name]}`).join(', ');
  return fail(
    'durability',
    `A crash of the machine of the database can lose acknowledged writes: ${list}.`,
    `Set ${wrong.map(([name]) => `${name} = on`).join(', ')} in postgresql.conf.`,
  );
}

/** An acknowledged write must be on two machines. */
function checkStandbys({ requiredStandbys, synchronousStandbys }: DatabaseReport): Finding {
  if (requiredStandbys === '')
    return warn(
      'standbys',
      'No standby is synchronous: the loss of the machine of the database loses acknowledged writes.',
      'Set synchronous_standby_names, or synchronous_mode and synchronous_mode_strict of Patroni: see docs/postgres.md.',
    );
  if (synchronousStandbys === 0)
    return fail('standbys', 'No synchronous standby is connected: commits wait for one.', 'Start a standby.');
  const count = synchronousStandbys === undefined ? '' : `; connected now: ${synchronousStandbys}`;
  return ok('standbys', `each acknowledged write is on a synchronous standby (${requiredStandbys})${count}`);
}

function checkRole({ maySignalBackends }: DatabaseReport): Finding {
  if (!maySignalBackends) return ok('role', 'may not cancel statements of others');
  return warn(
    'role',
    'The database user may cancel commits that wait for a standby.',
    'Use a user without superuser and pg_signal_backend.',
  );
}

function checkConnections({ maxConnections, usedConnections, replicas }: DatabaseReport): Finding {
  const needed = connectionsPerServer * Math.max(1, replicas.length);
  const text = `${usedConnections} of ${maxConnections} in use; ${needed} for the servers`;
  return maxConnections - needed > 0 && usedConnections < maxConnections
    ? ok('connections', text)
    : warn('connections', text, 'Raise max_connections of PostgreSQL.');
}

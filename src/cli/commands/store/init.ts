/** `iam store init` and `iam store migrate`: set up a database before servers use it. */
import type { Command } from 'commander';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { addDatabaseOptions, readDatabase, toServerFlags, withDatabaseSetup } from './database-options.ts';

export function addStoreInit(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'init', {
    title: 'Set up a PostgreSQL database for servers',
    description:
      'Creates or migrates the tables, the administrator, the signing key and the objects of a seed. Prints generated secrets once; set IAM_ADMIN_CLIENT_SECRET and IAM_ADMIN_PASSWORD to choose them. A second run changes nothing. Uses the database of IAM_DATABASE_URL, which may contain a password, or of --database-url; other settings are the environment variables of `iam serve`.',
    effect: 'write',
    examples: [
      { title: 'Set up the database of IAM_DATABASE_URL', command: '' },
      { title: 'With the objects of a seed', command: '--seed examples/team.yaml' },
    ],
  }).option('--seed <file>', 'seed to apply, as in `iam serve --seed`');
  addDatabaseOptions(command);
  setAction(command, runtime, initialize);
}

async function initialize(context: Context, _: unknown, options: CommandOptions): Promise<void> {
  const { schema } = await readDatabase(context, options);
  if (options.dryRun === true) return context.notice(`Dry run, nothing was changed: would set up schema ${schema}.`);
  const setup = { flags: toServerFlags(options), environment: context.environment.variables };
  const { migrated, bootstrapped, credentials } = await withDatabaseSetup(async (server) => {
    const result = await server.initializeDatabase(setup);
    return { ...result, credentials: server.formatCredentials(result.bootstrapped) };
  });
  if (!context.printer.isForPeople) return context.printer.value({ schema, migrated, ...bootstrapped });
  context.notice(`Schema ${schema} is set up; ${formatMigrations(migrated)}.`);
  if (credentials.length > 0) context.printer.lines(credentials);
}

export function addStoreMigrate(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'migrate', {
    title: 'Apply the missing migrations to a PostgreSQL database',
    description:
      'All in one transaction. Servers of the version before can keep running: migrate first, then replace them one by one. Make a backup first. Uses the database of IAM_DATABASE_URL, which may contain a password, or of --database-url.',
    effect: 'write',
    examples: [{ title: 'Migrate the database of IAM_DATABASE_URL', command: '' }],
  });
  addDatabaseOptions(command);
  setAction(command, runtime, migrate);
}

async function migrate(context: Context, _: unknown, options: CommandOptions): Promise<void> {
  const { schema } = await readDatabase(context, options);
  if (options.dryRun === true) return context.notice(`Dry run, nothing was changed: would migrate schema ${schema}.`);
  const setup = { flags: toServerFlags(options), environment: context.environment.variables };
  const migrated = await withDatabaseSetup(({ migrateDatabase }) => migrateDatabase(setup));
  if (!context.printer.isForPeople) return context.printer.value({ schema, migrated });
  context.notice(`Schema ${schema}: ${formatMigrations(migrated)}.`);
}

function formatMigrations(migrated: readonly string[]): string {
  return migrated.length === 0 ? 'no migration was missing' : `applied ${migrated.join(', ')}`;
}

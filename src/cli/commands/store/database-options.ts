/** The options of commands that use the database of a server, and their errors. */
import type { Command } from 'commander';
import { readSecretFiles } from '../../../contract/secret-files.ts';
import { readFileTrust } from '../../../lib/file-trust.ts';
import type * as DatabaseSetup from '../../../server/setup-database.ts';
import type { DatabaseTarget } from '../../../server/store/maintenance/copy-database.ts';
import type { CommandOptions, Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import type { Environment } from '../../io/io.ts';
import { distrustError } from '../../io/user-folders.ts';
import { convertStoreErrors } from './store-errors.ts';

export function addDatabaseOptions(command: Command): Command {
  return command
    .option('--database-url <url>', 'database without a password, as in `iam serve --database-url`')
    .option('--database-schema <name>', 'schema of the tables, as in `iam serve --database-schema`');
}

/**
 * The same settings as `iam serve`; undefined without a URL.
 * @throws CliError for a password in --database-url, or a certificate or key that another user can write
 */
export async function findDatabase(
  { manifest, environment }: Context,
  options: CommandOptions,
): Promise<DatabaseTarget | undefined> {
  const read = (name: string, value: unknown) => {
    const setting = manifest.settings.find((one) => one.name === name);
    return String(value ?? (environment.variables[setting?.environment ?? ''] || setting?.default) ?? '');
  };
  if (options.databaseUrl !== undefined && hasPassword(String(options.databaseUrl)))
    throw usageError('--database-url must not contain a password.', 'Set IAM_DATABASE_URL instead.');
  const { createSecretReader, findDatabaseProblem } = await import('../../../server/config/read-secret-file.ts');
  const secret = readDatabaseSecret(manifest, environment.variables, createSecretReader(environment.variables));
  const databaseUrl = secret || read('database-url', options.databaseUrl);
  const problem = findDatabaseProblem(databaseUrl, readFileTrust(environment.variables));
  if (problem) throw distrustError(problem);
  return databaseUrl === '' ? undefined : { databaseUrl, schema: read('database-schema', options.databaseSchema) };
}

/** The URL of IAM_DATABASE_URL or of the file of IAM_DATABASE_URL_FILE. @throws CliError for a file that cannot be read */
function readDatabaseSecret(
  { settings }: Context['manifest'],
  variables: Environment['variables'],
  read: (file: string) => string,
) {
  const database = settings.filter(({ environment }) => environment === 'IAM_DATABASE_URL');
  return readSecretFiles(database, variables, {
    read,
    createError: (message) => usageError(message),
  }).IAM_DATABASE_URL;
}

/** @throws CliError without a URL */
export async function readDatabase(context: Context, options: CommandOptions): Promise<DatabaseTarget> {
  const database = await findDatabase(context, options);
  if (database) return database;
  throw usageError('The database is unknown.', 'Set IAM_DATABASE_URL, or pass --database-url without a password.');
}

/** The settings of `iam serve` that these options stand for. */
export function toServerFlags({ databaseUrl, databaseSchema, seed }: CommandOptions): Record<string, string> {
  const flags = { 'database-url': databaseUrl, 'database-schema': databaseSchema, seed };
  return Object.fromEntries(Object.entries(flags).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])));
}

function hasPassword(url: string): boolean {
  return /^[a-z]+:\/\/[^/@]*:[^/@]*@/i.test(url);
}

/** Runs work of the server on the database. @throws CliError if it cannot be used, or a setting is not valid */
export async function withDatabaseSetup<Result>(
  work: (server: typeof DatabaseSetup) => Promise<Result>,
): Promise<Result> {
  const server = await import('../../../server/setup-database.ts');
  const usageErrors = [server.SettingError, server.SeedError];
  return convertStoreErrors(() => work(server), { ...server, usageErrors });
}

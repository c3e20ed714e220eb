/** `iam import`: converts the export of another service into a seed. */
import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { ImportNote, ImportResult } from '../../../server/seed/convert/converted-seed.ts';
import type { RoleCase } from '../../../server/seed/convert/roles.ts';
import { addCommand, type CommandDescription, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { CliError, usageError } from '../../errors.ts';
import { unwritableFileError } from '../../io/file-errors.ts';
import { readObject, readText } from '../../io/input.ts';
import { createPrivateFile } from '../../io/private-files.ts';

const common =
  'Writes a seed for `iam serve --seed` to a new file that only its owner can read, and reports what was changed or left out. Requests nothing from a server.';

const keycloakText: CommandDescription = {
  title: 'Convert the export of a Keycloak realm',
  description: `${common} Users keep their Argon2id passwords; those with other hashes must set a new one. E-mail addresses that are not verified are left out. Groups keep their roles and members, and depend on the group above them. Roles of users become groups of these users.`,
  effect: 'local',
  examples: [
    { title: 'Convert a realm for `iam serve --seed seed.json`', command: 'realm.json --to seed.json' },
    { title: 'Fail if something is left out', command: 'realm.json --to seed.json --strict' },
  ],
};

const auth0Text: CommandDescription = {
  title: 'Convert users of Auth0',
  description: `${common} The file has one user per line, as JSON. Users must set a new password, unless the file has an Argon2id hash. E-mail addresses that are not verified are left out.`,
  effect: 'local',
  examples: [{ title: 'Convert the users of an export', command: 'users.ndjson --to seed.json' }],
};

export function addImport(noun: Command, runtime: CliRuntime): void {
  const keycloak = addConversion(noun, 'keycloak', keycloakText).addOption(
    new Option('--role-case <case>', 'case of role names: keep, or upper, as imports made them before')
      .choices(['keep', 'upper'] satisfies RoleCase[])
      .default('keep'),
  );
  setConversion(keycloak, runtime, async ({ io }, file, options) => {
    const document = await readObject(file, io);
    const { convertRealm } = await import('../../../server/seed/convert/keycloak.ts');
    return convertRealm(document, file, { roleCase: options.roleCase as RoleCase });
  });
  setConversion(addConversion(noun, 'auth0', auth0Text), runtime, async ({ io }, file) => {
    const text = await readText(file, io);
    const { convertUsers } = await import('../../../server/seed/convert/auth0.ts');
    return convertUsers(text.split('\n'), file);
  });
}

type Convert = (context: Context, file: string, options: CommandOptions) => Promise<ImportResult>;

function addConversion(noun: Command, name: string, text: CommandDescription): Command {
  return addCommand(noun, name, text)
    .argument('<file>', 'exported file, - is standard input')
    .option('--to <file>', 'new file for the seed (required)')
    .option('--strict', 'exit with 8 and write nothing if something is left out');
}

function setConversion(command: Command, runtime: CliRuntime, convert: Convert): void {
  setAction(command, runtime, (context, [file], options) =>
    runImport(context, String(file), options, (given, name) => convert(given, name, options)),
  );
}

async function runImport(
  context: Context,
  file: string,
  options: CommandOptions,
  convert: (context: Context, file: string) => Promise<ImportResult>,
): Promise<void> {
  if (options.to === undefined) throw usageError('--to is missing.', 'Name a new file for the seed.');
  if (existsSync(String(options.to))) throw fileExistsError(String(options.to));
  const { seed, leftOut, changed } = await convertOrExplain(context, file, convert);
  report(context, { seed, leftOut, changed });
  if (options.strict === true && leftOut.length > 0)
    throw new CliError(`${leftOut.length} entries cannot be converted. Nothing was written.`, {
      code: 'LEFT_OUT',
      exitCode: 8,
      hint: 'Omit --strict to write the others.',
    });
  await writeSeed(String(options.to), `${JSON.stringify(seed, undefined, 2)}\n`);
}

/** @throws CliError for a file that is not such an export */
async function convertOrExplain(
  context: Context,
  file: string,
  convert: (context: Context, file: string) => Promise<ImportResult>,
): Promise<ImportResult> {
  const { ConversionError } = await import('../../../server/seed/convert/converted-seed.ts');
  return convert(context, file).catch((error: unknown) => {
    throw error instanceof ConversionError ? usageError(`${error.message}.`) : error;
  });
}

async function writeSeed(file: string, text: string): Promise<void> {
  try {
    await createPrivateFile(file, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw fileExistsError(file);
    throw unwritableFileError(file, error);
  }
}

function fileExistsError(file: string): CliError {
  return usageError(`${file} exists already.`, 'Name a new file, or delete this one.');
}

function report(context: Context, { seed, leftOut, changed }: ImportResult): void {
  const counts = Object.entries(seed).map(([name, entries]) => `${entries.length} ${name}`);
  context.notice(`Converted ${counts.join(', ')}; changed ${changed.length}, left out ${leftOut.length}.`);
  for (const note of changed) context.notice(`changed: ${describe(note)}`);
  for (const note of leftOut) context.notice(`left out: ${describe(note)}`);
}

function describe({ kind, name, reason }: ImportNote): string {
  return `${kind} ${name}: ${reason}`;
}

/** `iam import`: converts the export of another service into a seed. */
import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { ImportResult } from '../../../server/seed/convert/converted-seed.ts';
import type { RoleCase } from '../../../server/seed/convert/keycloak/role-names.ts';
import { addCommand, type CommandDescription, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { nameOfInput, readDocument, readText } from '../../io/input.ts';
import { collectValues } from '../../request/field-options.ts';
import { fileExistsError, findOutputs, writeImport } from './import-output.ts';

const common =
  'Writes a seed for `iam serve --seed` and a report to new files that only their owner can read. Prints how many of each kind arrived, were changed and were left out; the report has one line of JSON for each, with the reason. Exits with 8 if something that logs in or grants roles was lost. Requests nothing from a server.';

const keycloakText: CommandDescription = {
  title: 'Convert the export of a Keycloak realm',
  description: `${common} Users keep their passwords. E-mail addresses that are not verified are left out. Groups keep their roles and members, and depend on the group above them. Roles of users become groups of these users. Clients whose secret the export hides get a new one.`,
  effect: 'local',
  examples: [
    { title: 'Convert a realm for `iam serve --seed seed.json`', command: 'realm.json --to seed.json' },
    {
      title: 'Convert an export of the console, which hides the secrets of clients',
      command: 'realm.json --to seed.json --secret-output secrets.jsonl',
    },
    {
      title: 'Convert an export with users in files of their own',
      command: 'realm.json realm-users-0.json --to seed.json',
    },
  ],
};

const auth0Text: CommandDescription = {
  title: 'Convert users of Auth0',
  description: `${common} Reads the lines of an export job, the list of a bulk import, and the lines with hashes that the support of Auth0 exports; several files can have parts of the same users. Passwords with hashes of bcrypt, Argon2, PBKDF2 and scrypt stay; other users must set a new one. Roles in app_metadata become groups. E-mail addresses that are not verified are left out.`,
  effect: 'local',
  examples: [
    { title: 'Convert users with the export of their hashes', command: 'users.ndjson hashes.ndjson --to seed.json' },
    { title: 'Convert the file of a bulk import', command: 'users.json --to seed.json' },
  ],
};

export function addImport(noun: Command, runtime: CliRuntime): void {
  const keycloak = addConversion(noun, 'keycloak', keycloakText, '<files...>')
    .option('--secret-output <file>', 'new file for the new secrets of clients, as JSON lines')
    .option('--realm <name>', 'realm to convert, if the files contain several')
    .addOption(
      new Option('--role-case <case>', 'case of role names: keep, or upper, as imports made them before')
        .choices(['keep', 'upper'] satisfies RoleCase[])
        .default('keep'),
    )
    .addOption(createKeepRoleOption());
  setConversion(keycloak, runtime, async ({ io }, files, options) => {
    const { convertRealm } = await import('../../../server/seed/convert/keycloak/convert.ts');
    const { systemRandom } = await import('../../../server/lib/random.ts');
    const { hashPassword } = await import('../../../server/users/passwords.ts');
    const documents = [];
    for (const file of files) {
      const repeated: string[] = [];
      const document = await readDocument(file, io, ({ message }) => repeated.push(message));
      documents.push({ file: nameOfInput(file), document, repeated });
    }
    return convertRealm(documents, { random: systemRandom, hash: hashPassword }, options);
  });
  const auth0 = addConversion(noun, 'auth0', auth0Text, '<files...>').addOption(createKeepRoleOption());
  setConversion(auth0, runtime, async ({ io }, files, options) => {
    const { convertUsers } = await import('../../../server/seed/convert/auth0/convert.ts');
    const texts = [];
    for (const file of files) texts.push({ file: nameOfInput(file), text: await readText(file, io) });
    return convertUsers(texts, options);
  });
}

function createKeepRoleOption(): Option {
  return new Option(
    '--keep-role <name..>',
    'keep a role named as one of this service, such as ADMIN: it allows the same here (repeatable or comma-separated)',
  ).argParser((value, previous) => collectValues(value, previous));
}

type Convert = (context: Context, files: readonly string[], options: CommandOptions) => Promise<ImportResult>;

function addConversion(noun: Command, name: string, text: CommandDescription, files: string): Command {
  return addCommand(noun, name, text)
    .argument(files, 'exported file, - is standard input')
    .option('--to <file>', 'new file for the seed (required)')
    .option('--report <file>', 'new file for the report, by default that of the seed with .report.jsonl')
    .option('--trust-emails', 'keep e-mail addresses that are not verified: who can read their mail gets the account');
}

function setConversion(command: Command, runtime: CliRuntime, convert: Convert): void {
  setAction(command, runtime, async (context, [files], options) => {
    const outputs = findOutputs(options);
    for (const file of Object.values(outputs)) if (file !== undefined && existsSync(file)) throw fileExistsError(file);
    const read = { ...options, keepRoles: options.keepRole };
    const result = await convertOrExplain(() => convert(context, [files ?? []].flat(), read));
    await writeImport(context, outputs, result);
  });
}

/** @throws CliError for a file that is not such an export */
async function convertOrExplain(convert: () => Promise<ImportResult>): Promise<ImportResult> {
  const { ConversionError } = await import('../../../server/seed/convert/converted-seed.ts');
  return convert().catch((error: unknown) => {
    throw error instanceof ConversionError ? usageError(`${error.message}.`) : error;
  });
}

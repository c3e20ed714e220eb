/** `iam profile`: manages named servers and their credentials. */

import type { Command } from 'commander';
import { reference } from '../../../contract/entities.ts';
import { deleteSession } from '../../auth/session-file.ts';
import { addCommand, addConfirmOptions, setAction } from '../../command.ts';
import { changeProfiles, getProfilePath, type Profile, saveProfile } from '../../config/profile.ts';
import { parseProfileValue } from '../../config/profile-value.ts';
import { stripUserInfo } from '../../config/server-url.ts';
import { resolveProfile, resolveProfileName } from '../../config/settings.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { readSecret } from '../../io/input.ts';
import { promptSecret } from '../../io/prompt.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { assertConfirmed } from '../../request/send.ts';

const existing = { name: 'profile' } as const;

/** Adds the `profile` subcommands. */
export function addProfile(noun: Command, runtime: CliRuntime): void {
  const add = (usage: string, title: string, example: string) =>
    addCommand(noun, usage, { title, effect: 'local', examples: [{ title, command: example }] });
  setAction(add('list', 'List profiles', '').alias('ls'), runtime, list);
  const showCommand = add('show', 'Show a profile without its secrets', 'local')
    .alias('get')
    .argument('[name]', 'Name of the profile; default the current one');
  setAction(declareValueSources(showCommand, existing), runtime, show);
  const useCommand = add('use', 'Select the current profile', 'local').argument('<name>', 'Name of the profile');
  setAction(declareValueSources(useCommand, existing), runtime, use);
  const removeCommand = add('remove', 'Remove a profile', 'old --yes')
    .aliases(['rm', 'delete'])
    .argument('<name>', 'Name of the profile');
  setAction(declareValueSources(addConfirmOptions(removeCommand), existing), runtime, removeProfile);
  addAdd(noun, runtime);
}

function addAdd(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'add', {
    title: 'Add or replace a profile',
    description:
      'The client secret is prompted for, or read from --secret-file or IAM_CLIENT_SECRET. The first profile becomes the current one.',
    effect: 'local',
    examples: [
      {
        title: 'Add a server and the client to sign in as',
        command: 'staging --base-url https://iam.example.com --client-id deployer',
      },
      {
        title: 'Read the secret from a pipe',
        command: 'ci --base-url https://iam.example.com --client-id ci --secret-file -',
      },
    ],
  })
    .argument('<name>', 'Name of the profile')
    .option('--client-id <id>', 'client to sign in as')
    .option('--user-client-id <id>', 'client through which users sign in')
    .option('--secret-file <file>', 'file with the client secret, - for standard input')
    .option('--protected', 'require the profile name to confirm destructive commands')
    .option('--read-only', 'reject all writes')
    .option('--max-changes <number>', 'reject commands with more changes');
  declareValueSources(command, {
    '--client-id': reference('client', ['id']),
    '--user-client-id': reference('client', ['id']),
  });
  setAction(command, runtime, addNamedProfile);
}

async function list(context: Context): Promise<void> {
  const { file } = context.sources;
  const current = resolveProfileName(context.sources)?.value;
  const rows = Object.entries(file.profiles).map(([name, { baseUrl, clientId, session }]) => ({
    name,
    current: name === current ? '*' : '',
    baseUrl: maskValue(baseUrl),
    clientId: session?.clientId ?? clientId,
    userName: session?.userName,
  }));
  if (rows.length === 0) context.notice(`No profiles found in ${getProfilePath(context.environment.variables)}.`);
  else if (context.printer.isForPeople) await context.printer.value(rows);
  else await context.printer.value(rows.map((row) => ({ ...row, current: row.current !== '' })));
}

async function show(context: Context, [argument]: readonly unknown[]): Promise<void> {
  const name = argument === undefined ? resolveProfileName(context.sources)?.value : String(argument);
  const profile =
    argument === undefined ? resolveProfile(context.sources) : context.sources.file.profiles[String(argument)];
  if (name === undefined || !profile) throw unknownProfileError(name ?? '');
  const masked = (value: string | undefined, key: string) => (value === undefined ? {} : { [key]: '(secret)' });
  const { clientSecret, token, apiKey, session, ...settings } = profile;
  const publicSettings = Object.entries(settings).map(([key, value]) => [key, maskValue(value)]);
  await context.printer.value({
    name,
    ...Object.fromEntries(publicSettings),
    ...(session ? { signedIn: session.userName ?? session.clientId } : {}),
    ...masked(clientSecret, 'clientSecret'),
    ...masked(token, 'token'),
    ...masked(apiKey, 'apiKey'),
  });
}

/** A proxy URL can contain a password. */
function maskValue(value: unknown): unknown {
  return typeof value === 'string' ? stripUserInfo(value) : value;
}

function unknownProfileError(name: string) {
  return usageError(
    name === '' ? 'No profile is selected.' : `Profile ${JSON.stringify(name)} not found.`,
    'List profiles with `iam profile list`.',
  );
}

async function use(context: Context, [name]: readonly unknown[]): Promise<void> {
  await changeProfiles(context.environment.variables, (file) => {
    if (!Object.hasOwn(file.profiles, String(name))) throw unknownProfileError(String(name));
    return { ...file, current: String(name) };
  });
  context.notice(`The current profile is ${name}.`);
}

async function removeProfile(context: Context, [argument]: readonly unknown[], options: CommandOptions): Promise<void> {
  const name = String(argument);
  if (!Object.hasOwn(context.sources.file.profiles, name)) throw unknownProfileError(name);
  const requireName = context.sources.file.profiles[name]?.protected === true;
  await assertConfirmed(context, `Remove the profile ${name} and its credentials?`, options, false, {
    requireName,
    name,
  });
  await changeProfiles(context.environment.variables, ({ current, profiles, ...rest }) => {
    const remaining = Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name));
    return { ...rest, ...(current === undefined || current === name ? {} : { current }), profiles: remaining };
  });
  await deleteSession(name, context.environment.variables);
  context.notice(`Removed the profile ${name}.`);
}

async function addNamedProfile(
  context: Context,
  [argument]: readonly unknown[],
  options: CommandOptions,
): Promise<void> {
  const name = String(argument);
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name) || name === '__proto__')
    throw usageError('A profile name can contain only letters, digits and . _ - (at most 64 characters).');
  const { baseUrl } = context.sources.options;
  if (baseUrl === undefined) throw usageError('--base-url is required: an http or https URL.');
  parseProfileValue('baseUrl', baseUrl);
  const clientId = options.clientId as string | undefined;
  const client =
    clientId === undefined ? {} : { clientId, clientSecret: await readClientSecret(context, clientId, options) };
  const userClientId = options.userClientId as string | undefined;
  const profile: Profile = {
    ...preservedSettings(context, name),
    baseUrl,
    ...client,
    ...(userClientId === undefined ? {} : { userClientId }),
    ...readSafetyOptions(context, options),
  };
  const saved = await saveProfile(name, profile, context.environment.variables);
  context.notice(
    `Saved in ${saved.path}.${saved.current ? ' It is the current profile.' : ` Use it with --profile ${name}.`}`,
  );
}

/** Returns safety and connection settings of the profile that is replaced; they stay in effect. */
function preservedSettings({ sources }: Context, name: string): Partial<Profile> {
  if (!Object.hasOwn(sources.file.profiles, name)) return {};
  const {
    baseUrl: _,
    clientId: _id,
    clientSecret: _secret,
    userClientId: _user,
    token: _token,
    ...before
  } = sources.file.profiles[name] as Profile;
  const { apiKey: _key, session: _session, ...settings } = before;
  return settings;
}

/** Reads the safety and connection options. */
function readSafetyOptions({ sources }: Context, options: CommandOptions): Partial<Profile> {
  const { proxy, caFile, clientCert, clientKey } = sources.options;
  const values = {
    protected: options.protected === true ? true : undefined,
    readOnly: options.readOnly === true ? true : undefined,
    maxChanges:
      options.maxChanges === undefined ? undefined : parseProfileValue('maxChanges', String(options.maxChanges)),
    proxy: proxy === undefined ? undefined : parseProfileValue('proxy', proxy),
    ...Object.fromEntries(
      Object.entries({ caFile, clientCert, clientKey })
        .filter(([, file]) => file !== undefined)
        .map(([property, file]) => [property, parseProfileValue(property as keyof Profile, String(file))]),
    ),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function readClientSecret(context: Context, clientId: string, options: CommandOptions): Promise<string> {
  const file = options.secretFile as string | undefined;
  if (file !== undefined) return readSecret(file, context.io);
  const { IAM_CLIENT_ID: named = clientId, IAM_CLIENT_SECRET: fromEnvironment } = context.environment.variables;
  // Never store the secret of another client.
  if (fromEnvironment && named === clientId) return Promise.resolve(fromEnvironment);
  return promptSecret(
    context.promptOptions(false),
    `Secret of ${clientId}`,
    'Provide it with --secret-file or IAM_CLIENT_SECRET.',
  );
}

/** `iam profile add`: adds or replaces a profile. */
import type { Command } from 'commander';
import { reference } from '../../../contract/entities.ts';
import { addCommand, setAction } from '../../command.ts';
import { type Profile, saveProfile } from '../../config/profile.ts';
import { parseProfileValue } from '../../config/profile-value.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { readSecret } from '../../io/input.ts';
import { promptSecret } from '../../io/prompt.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';

/** Adds the command. */
export function addProfileAdd(noun: Command, runtime: CliRuntime): void {
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

async function addNamedProfile(
  context: Context,
  [argument]: readonly unknown[],
  options: CommandOptions,
): Promise<void> {
  const name = String(argument);
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name) || name === '__proto__')
    throw usageError('A profile name can contain only letters, digits and . _ - (at most 64 characters).');
  const { baseUrl } = context.settings.options;
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
function preservedSettings({ settings }: Context, name: string): Partial<Profile> {
  if (!Object.hasOwn(settings.file.profiles, name)) return {};
  const {
    baseUrl: _,
    clientId: _id,
    clientSecret: _secret,
    userClientId: _user,
    token: _token,
    ...before
  } = settings.file.profiles[name] as Profile;
  const { apiKey: _key, session: _session, ...preserved } = before;
  return preserved;
}

/** Reads the safety and connection options. */
function readSafetyOptions({ settings }: Context, options: CommandOptions): Partial<Profile> {
  const { proxy, caFile, clientCert, clientKey } = settings.options;
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

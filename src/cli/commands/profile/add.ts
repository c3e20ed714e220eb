/** `iam profile add`: adds or replaces a profile. */
import type { Command } from 'commander';
import { reference } from '../../../contract/entities.ts';
import { deleteSession } from '../../auth/session-file.ts';
import { addCommand, setAction } from '../../command.ts';
import { type Profile, saveProfile } from '../../config/profile.ts';
import { parseProfileValue } from '../../config/profile-value.ts';
import { promptBaseUrl } from '../../config/prompt-base-url.ts';
import { stripUserInfo } from '../../config/server-url.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { inputNeededError, usageError } from '../../errors.ts';
import { readSecret } from '../../io/input.ts';
import { canPrompt, promptSecret } from '../../io/prompt.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { assertConfirmed } from '../../request/confirm.ts';

export function addProfileAdd(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'add', {
    title: 'Add or replace a profile',
    description:
      'An existing profile is replaced with all its settings: at a terminal after a prompt, in scripts only with --replace, and a protected profile only with its name. Settings that are not named are not kept; `iam config set` changes one setting. The base URL is prompted for if --base-url is missing. The client secret is prompted for, or read from --secret-file or IAM_CLIENT_SECRET. The first profile becomes the current one.',
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
    .option('--replace', 'replace an existing profile without a prompt')
    .option('--confirm <name>', 'confirm with the name of a protected profile')
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
  await assertReplaceable(context, name, options);
  const baseUrl =
    context.settings.options.baseUrl ?? (await promptBaseUrl(context.promptOptions(isStdinData(options))));
  parseProfileValue('baseUrl', baseUrl);
  const clientId = options.clientId as string | undefined;
  const client =
    clientId === undefined ? {} : { clientId, clientSecret: await readClientSecret(context, clientId, options) };
  const userClientId = options.userClientId as string | undefined;
  const profile: Profile = {
    baseUrl,
    ...client,
    ...(userClientId === undefined ? {} : { userClientId }),
    ...readSafetyOptions(context, options),
  };
  const { variables } = context.environment;
  const saved = await saveProfile(name, profile, variables);
  // The tokens of a replaced profile belong to its former server and caller.
  if (Object.hasOwn(context.settings.file.profiles, name)) await deleteSession(name, variables);
  context.notice(
    `Saved in ${saved.path}.${saved.current ? ' It is the current profile.' : ` Use it with --profile ${name}.`}`,
  );
}

/** The secret is read from standard input. */
function isStdinData({ secretFile }: CommandOptions): boolean {
  return secretFile === '-';
}

/** Confirms that an existing profile is replaced: --replace, a prompt, or the name of a protected profile. */
async function assertReplaceable(context: Context, name: string, options: CommandOptions): Promise<void> {
  const { profiles } = context.settings.file;
  if (!Object.hasOwn(profiles, name)) return;
  const { baseUrl = '', protected: isProtected = false } = profiles[name] ?? {};
  const question = `Replace the profile ${name} (${stripUserInfo(baseUrl)}) with all its settings?`;
  if (isProtected || options.replace === true)
    return assertConfirmed(context, question, { yes: options.replace, confirm: options.confirm }, false, {
      requireName: isProtected,
      name,
    });
  const promptOptions = context.promptOptions(isStdinData(options));
  if (!canPrompt(promptOptions))
    throw inputNeededError(
      `The profile ${name} (${stripUserInfo(baseUrl)}) exists; nothing was changed.`,
      `Replace it with --replace, or change one setting with \`iam config set KEY VALUE --profile ${name}\`.`,
    );
  return assertConfirmed(context, question, {}, false, { requireName: false });
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

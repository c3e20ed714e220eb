/** `iam env`: prints environment variables for a shell, so that its programs use a server. */
import { type Command, Option } from 'commander';
import { assertOwnTarget, hasEnvironmentSecret, type ResolvedCredentials } from '../auth/credentials.ts';
import { addCommand, type CommandDescription, setAction } from '../command.ts';
import { type CliSettings, settingDefinitions } from '../config/settings.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { requireCredentials, resolveBaseUrl } from '../http/connection.ts';
import { addServerArgument, checkServerRecords, findRunningServer } from '../local-server/select-server.ts';

const shells = ['sh', 'bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

const envText: Omit<CommandDescription, 'title'> = {
  description:
    'Uses the background server, or the currently configured server if none is running or if you use --profile or --base-url. Credentials stay in the profile; --secrets prints them as variables, for programs that do not read profiles.',
  effect: 'local',
  examples: [
    { title: 'In bash and zsh: eval "$(iam env)"', command: '' },
    { title: 'In fish: iam env --shell fish | source', command: '--shell fish' },
    { title: 'Print credentials for a program under test', command: '--secrets -o json' },
  ],
};

export function addEnv(program: Command, runtime: CliRuntime, title: string): void {
  const command = addServerArgument(addCommand(program, 'env', { title, ...envText }))
    .addOption(new Option('--shell <shell>', 'shell syntax, default sh').choices([...shells]))
    .option('--secrets', 'print the credentials instead of the profile');
  setAction(command, runtime, (context, [typed], options) => env(context, typed as string | undefined, options));
}

/** Values by name; undefined unsets the variable. */
type Variables = Readonly<Record<string, string | undefined>>;

async function env(context: Context, typed: string | undefined, options: CommandOptions): Promise<void> {
  const settings = await loadServerSettings(context, typed);
  const profileName = settings.profileName?.value;
  const hasProfile = profileName !== undefined && Object.hasOwn(settings.file.profiles, profileName);
  const target = { IAM_BASE_URL: resolveBaseUrl(settings) };
  const isSecret = options.secrets === true;
  const variables: Variables = isSecret
    ? { ...clearedVariables, ...target, ...credentialVariables(requireCredentials(settings)) }
    : { ...(hasProfile ? { ...clearedVariables, IAM_PROFILE: profileName } : {}), ...target };
  // The printed URL becomes the target of the credentials that are already in the environment.
  if (!isSecret && !hasProfile && hasEnvironmentSecret(settings)) assertOwnTarget(settings);
  if (!isSecret && !hasProfile)
    context.notice('No profile has credentials for this server; credentials in the environment are unchanged.');
  await print(context, variables, options.shell as Shell | undefined);
}

/** Returns settings that target the background server, unless an option selects another one. */
async function loadServerSettings(
  { settings, environment, io }: Context,
  typed: string | undefined,
): Promise<CliSettings> {
  const { profile, baseUrl } = settings.options;
  const isChosen = profile !== undefined || baseUrl !== undefined;
  if (isChosen && typed !== undefined) throw usageError('Name a server or use --profile or --base-url, not both.');
  if (isChosen || (typed === undefined && !checkServerRecords(environment, io))) return settings;
  const server = await findRunningServer(typed, environment);
  if (!server && typed !== undefined)
    throw usageError(`Server ${typed} is not running.`, 'List servers with `iam server status`.');
  if (!server) return settings;
  if (server.profile !== undefined)
    return settings.with({ options: { ...settings.options, profile: server.profile, baseUrl: server.url } });
  // The current profile belongs to another server.
  const variables = { ...settings.variables, IAM_PROFILE: undefined };
  const options = { ...settings.options, baseUrl: server.url };
  return settings.with({ variables, file: { profiles: {} }, options, project: undefined });
}

/** Variables that would override the profile or mix with its credentials. */
const clearedVariables: Variables = Object.fromEntries(
  settingDefinitions
    .filter(({ key }) =>
      ['profile', 'client-id', 'client-secret', 'username', 'password', 'token', 'api-key'].includes(key),
    )
    .map(({ environment }) => [environment, undefined]),
);

function credentialVariables({
  kind,
  token,
  apiKey,
  clientId,
  clientSecret,
  userName,
  password,
  origin,
}: ResolvedCredentials): Variables {
  if (kind === 'token') return { IAM_TOKEN: token };
  if (kind === 'api-key') return { IAM_API_KEY: apiKey };
  const client = { IAM_CLIENT_ID: clientId, IAM_CLIENT_SECRET: clientSecret };
  if (kind === 'user') return { ...client, IAM_USERNAME: userName, IAM_PASSWORD: password };
  if (kind === 'client') return client;
  throw usageError(
    `The session of ${origin} is renewed by the CLI and cannot be exported.`,
    'Remove --secrets, or use another profile.',
  );
}

async function print(context: Context, variables: Variables, shell: Shell | undefined): Promise<void> {
  const current = context.environment.variables;
  // A variable that is not set needs no `unset` line.
  const entries = Object.entries(variables).filter(
    ([name, value]) => value !== undefined || current[name] !== undefined,
  );
  if (shell === undefined && !context.printer.isForPeople)
    return context.printer.value(Object.fromEntries(entries.filter(([, value]) => value !== undefined)));
  context.printer.verbatim(
    entries.map(([name, value]) => (shell === 'fish' ? formatFishLine : formatShellLine)(name, value)),
  );
}

function formatShellLine(name: string, value: string | undefined): string {
  return value === undefined ? `unset ${name}` : `export ${name}='${value.replaceAll("'", "'\\''")}'`;
}

function formatFishLine(name: string, value: string | undefined): string {
  return value === undefined ? `set -e ${name}` : `set -gx ${name} '${value.replaceAll(/[\\']/g, '\\$&')}'`;
}

/** `iam env`: lines that a shell evaluates, so that its commands and programs reach a server. */
import { type Command, Option } from 'commander';
import { addCommand, type CommandDescription, type CommandOptions, setAction } from '../command.ts';
import { requireCredentials, resolveBaseUrl } from '../runtime/connection.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { assertOwnTarget, hasEnvironmentSecret, type ResolvedCredentials } from '../runtime/credentials.ts';
import { usageError } from '../runtime/errors.ts';
import { resolveProfileName, type SettingSources, settingDefinitions } from '../runtime/settings.ts';
import { addServerArgument, findRunningServer } from './background/select-server.ts';

const shells = ['sh', 'bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export const envText: CommandDescription = {
  title: 'Prints the variables of a server, for a shell to evaluate',
  description:
    'Of the server in the background; where none runs, or --profile or --base-url is given, of the one that commands use. Credentials stay in the profile that is named; --secrets prints them as variables, for programs that know nothing of profiles.',
  effect: 'local',
  examples: [
    { title: 'In bash and zsh, in quotation marks: eval "$(iam env)"', command: '' },
    { title: 'In fish: iam env --shell fish | source', command: '--shell fish' },
    { title: 'For a program under test', command: '--secrets -o json' },
  ],
};

/** Adds the command. */
export function addEnv(program: Command, runtime: CliRuntime): void {
  const command = addServerArgument(addCommand(program, 'env', envText))
    .addOption(new Option('--shell <shell>', 'whose language to speak, sh where not given').choices([...shells]))
    .option('--secrets', 'the credentials themselves in place of the profile');
  setAction(command, runtime, (context, [typed], options) => env(context, typed as string | undefined, options));
}

/** Names and values; nothing is a variable that must not be set. */
type Variables = Readonly<Record<string, string | undefined>>;

async function env(context: Context, typed: string | undefined, options: CommandOptions): Promise<void> {
  const sources = await loadServerSources(context, typed);
  const named = resolveProfileName(sources)?.value;
  const isThere = named !== undefined && Object.hasOwn(sources.file.profiles, named);
  const place = { IAM_BASE_URL: resolveBaseUrl(sources) };
  const isSecret = options.secrets === true;
  const variables: Variables = isSecret
    ? { ...clearedVariables, ...place, ...credentialVariables(requireCredentials(sources)) }
    : { ...(isThere ? { ...clearedVariables, IAM_PROFILE: named } : {}), ...place };
  // The URL would be that of the environment from now on, for the credentials that stay beside it.
  if (!isSecret && !isThere && hasEnvironmentSecret(sources)) assertOwnTarget(sources);
  if (!isSecret && !isThere)
    context.notice('No profile has its credentials; those in the environment stay as they are.');
  await print(context, variables, options.shell as Shell | undefined);
}

/** With the server in the background in place of the one that is set, unless it was chosen by an option. */
async function loadServerSources(
  { sources, environment }: Context,
  typed: string | undefined,
): Promise<SettingSources> {
  const { profile, baseUrl } = sources.options;
  const isChosen = profile !== undefined || baseUrl !== undefined;
  if (isChosen && typed !== undefined) throw usageError('Name a server, or give --profile or --base-url.');
  if (isChosen) return sources;
  const server = await findRunningServer(typed, environment);
  if (!server && typed !== undefined) throw usageError(`No server ${typed} runs.`, 'See `iam server status`.');
  if (!server) return sources;
  if (server.profile !== undefined)
    return { ...sources, options: { ...sources.options, profile: server.profile, baseUrl: server.url } };
  // Whatever profile is in use, it is that of another server.
  const variables = { ...sources.variables, IAM_PROFILE: undefined };
  return { variables, file: { profiles: {} }, options: { ...sources.options, baseUrl: server.url } };
}

/** Whatever of these is set would go before the profile, or be mixed with other credentials. */
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
    `The sign-in of ${origin} is kept by \`iam login\` and renewed; it can't be handed on.`,
    'Leave --secrets out, or choose another profile.',
  );
}

async function print(context: Context, variables: Variables, shell: Shell | undefined): Promise<void> {
  const set = context.environment.variables;
  // What is not set anyway needs no line.
  const entries = Object.entries(variables).filter(([name, value]) => value !== undefined || set[name] !== undefined);
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

/** `iam serve`: runs the server in the foreground. Its options are the server settings. */
import { type Command, Option } from 'commander';
import type { ManifestSetting } from '../../../contract/manifest-types.ts';
import { trustVariable } from '../../../lib/file-trust.ts';
import type { StoreLocation } from '../../../server/main.ts';
import { addCommand, type CommandDescription, toAttribute } from '../../command.ts';
import { createTrustOption } from '../../config/global-options.ts';
import { saveLocalProfile } from '../../config/profile.ts';
import type { CliRuntime } from '../../context.ts';
import { QuietExit } from '../../errors.ts';
import { readProcessIdentity } from '../../io/processes.ts';
import { followServer, profileNameOf, type ServedStore, toProfileServer } from '../../local-server/server-profile.ts';

const serveText: Omit<CommandDescription, 'title'> = {
  description:
    'The server shuts down gracefully on SIGINT, SIGTERM and SIGHUP. Each option can also be set by an environment variable.',
  effect: 'local',
  examples: [
    { title: 'Use the default port and the store in data/store', command: '' },
    {
      title: 'For a test: any free port, in-memory store, one JSON line when ready',
      command: '--port 0 --store memory --json',
    },
    {
      title: 'For a test fixture: also stop if the test process is killed',
      command: '--port 0 --store memory --json --stop-with-parent',
    },
  ],
};

export function addServe(program: Command, { io, environment, manifest }: CliRuntime, title: string): void {
  const command = addCommand(program, 'serve', { title, ...serveText });
  const settings = manifest.settings.filter(({ flag }) => flag);
  for (const setting of settings) command.addOption(createSettingOption(setting));
  addTrustOption(command);
  command.option('--stop-with-parent', 'stop when the process that started the server ends, also if it is killed');
  command.action(async () => {
    const { serve } = await import('../../../server/main.ts');
    const { variables } = environment;
    const exitCode = await serve({
      flags: readFlags(command, settings),
      io,
      environment: variables,
      stopsWithParent: command.opts().stopWithParent === true,
      missingPathFolder: environment.missingPathFolder?.(),
      saveProfile: async (profile, location) => {
        const server = toProfileServer(await describeOwnProcess(profile.baseUrl, location));
        return saveLocalProfile({ ...profile, server }, variables);
      },
      updateProfile: async ({ url, adminClientId, ...location }) => {
        const { serverNameOf } = await import('../../local-server/server-name.ts');
        const name = profileNameOf({ ...location, name: serverNameOf(location) }, readDefaultFolder(manifest.settings));
        await followServer(name, adminClientId, await describeOwnProcess(url, location), variables);
      },
      formatErrorLabel: async (label) => {
        const { createColours } = await import('../../io/colour.ts');
        return createColours(io.stderr, environment, command.optsWithGlobals().color).red.bold(label);
      },
    });
    throw new QuietExit(exitCode);
  });
}

async function describeOwnProcess(url: string, { store, data }: StoreLocation): Promise<ServedStore> {
  return { url, store, data, pid: process.pid, identity: (await readProcessIdentity(process.pid)) ?? '' };
}

/** The folder of the store that nothing selects. */
export function readDefaultFolder(settings: readonly ManifestSetting[]): string {
  return String(settings.find(({ name }) => name === 'data')?.default);
}

/** It is no setting: a seed must not set it. The run has added it to the variable that the server reads. */
export function addTrustOption(command: Command): Command {
  return command.addOption(createTrustOption(`use a store of other users in this folder (${trustVariable})`));
}

/** Creates the command-line option of a server setting. */
export function createSettingOption({
  name,
  kind,
  values,
  description,
  environment,
  default: defaultValue,
}: ManifestSetting): Option {
  const flag =
    kind === 'boolean'
      ? `--${name}`
      : `--${name} <${kind === 'integer' ? 'number' : kind === 'list' ? 'values' : 'value'}>`;
  const defaultText = defaultValue === undefined || kind === 'boolean' ? '' : `, default ${defaultValue}`;
  const option = new Option(flag, `${description} (${environment}${defaultText})`);
  return values ? option.choices([...values]) : option;
}

/** Returns only the flags that were set; the server applies the defaults. */
export function readFlags(command: Command, settings: readonly ManifestSetting[]): Record<string, string | boolean> {
  const options = command.opts<Record<string, string | boolean>>();
  const typed = settings.flatMap(({ name }) => {
    const value = readFlag(options, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(typed);
}

/** Commander stores a flag `--no-x` as `x: false`. */
function readFlag(options: Readonly<Record<string, string | boolean>>, name: string): string | boolean | undefined {
  if (name.startsWith('no-')) return options[toAttribute(name.slice('no-'.length))] === false ? true : undefined;
  return options[toAttribute(name)];
}

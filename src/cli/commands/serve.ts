/** `iam serve`: the server in the foreground. Its options are the settings of the server. */
import { type Command, Option } from 'commander';
import type { ManifestSetting } from '../../contract/manifest-types.ts';
import { addCommand, type CommandDescription } from '../command.ts';
import type { CliRuntime } from '../runtime/context.ts';
import { QuietExit } from '../runtime/errors.ts';
import type { Io } from '../runtime/io.ts';
import { type Profile, saveLocalProfile } from '../runtime/profile.ts';
import { loadServerModule } from '../runtime/server-module.ts';

type Serve = (options: {
  readonly flags: Readonly<Record<string, string | boolean>>;
  readonly io: Io;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Keeps the credentials that a new store was given, and says where. */
  saveProfile(profile: Profile): Promise<string>;
}) => Promise<number>;

export const serveText: CommandDescription = {
  title: 'Runs the server in the foreground',
  description: 'Until SIGINT or SIGTERM, which stop it cleanly. Every option has a name in the environment as well.',
  effect: 'local',
  examples: [
    { title: 'On the usual port, with the store in data/store', command: '' },
    {
      title: 'For a test: any free port, nothing kept, one line of JSON when ready',
      command: '--port 0 --store memory --json',
    },
  ],
};

/** Adds the command. */
export function addServe(program: Command, { io, environment, manifest }: CliRuntime): void {
  const command = addCommand(program, 'serve', serveText);
  const settings = manifest.settings.filter(({ flag }) => flag);
  for (const setting of settings) command.addOption(createSettingOption(setting));
  command.action(async () => {
    const { serve } = (await loadServerModule('serve')) as { serve: Serve };
    const { variables } = environment;
    const exitCode = await serve({
      flags: readFlags(command, settings),
      io,
      environment: variables,
      saveProfile: (profile) => saveLocalProfile(profile, variables),
    });
    throw new QuietExit(exitCode);
  });
}

/** A setting of the server as an option of a command. */
export function createSettingOption({
  name,
  kind,
  values,
  description,
  environment,
  default: fallback,
}: ManifestSetting): Option {
  const flag =
    kind === 'boolean'
      ? `--${name}`
      : `--${name} <${kind === 'integer' ? 'number' : kind === 'list' ? 'values' : 'value'}>`;
  const usual = fallback === undefined || kind === 'boolean' ? '' : `, default ${fallback}`;
  const option = new Option(flag, `${description} (${environment}${usual})`);
  return values ? option.choices([...values]) : option;
}

/** Only what was typed; the server knows its own defaults. */
export function readFlags(command: Command, settings: readonly ManifestSetting[]): Record<string, string | boolean> {
  const options = command.opts<Record<string, string | boolean>>();
  const typed = settings.flatMap(({ name }) => {
    const value = readFlag(options, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(typed);
}

/** commander keeps `--disable-control-plane` as `control`, which is false once it was typed. */
function readFlag(options: Readonly<Record<string, string | boolean>>, name: string): string | boolean | undefined {
  if (name.startsWith('no-')) return options[toAttribute(name.slice('no-'.length))] === false ? true : undefined;
  return options[toAttribute(name)];
}

function toAttribute(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

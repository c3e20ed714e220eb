/** `iam server start`: the server in the background. */
import path from 'node:path';
import { type Command, Option } from 'commander';
import type { ManifestSetting } from '../../../contract/manifest-types.ts';
import { addCommand, type CommandOptions } from '../../command.ts';
import { type CliRuntime, type Context, withContext } from '../../runtime/context.ts';
import { usageError } from '../../runtime/errors.ts';
import { formats } from '../../runtime/output.ts';
import { withFileLock } from '../../runtime/private-files.ts';
import type { GlobalOptions } from '../../runtime/settings.ts';
import { createSettingOption, readFlags } from '../serve.ts';
import { type LaunchedServer, launchServer, type ReadyLine } from './launch.ts';
import { profileNameOf, saveServerProfile } from './server-profile.ts';
import {
  getServerFile,
  isServerRunning,
  readServerRecords,
  type ServerRecord,
  serverNameOf,
  writeServerRecord,
} from './server-records.ts';
import { describeServer } from './status.ts';

const defaultWait = 30;

/** Adds the command. Its options are those of `iam serve`, so it has few of those that all others have. */
export function addStart(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'start', {
    title: 'Starts the server in the background, and waits until it is ready',
    description:
      'One server for each store folder, and one in memory: where it runs already, this says so and is done. New credentials go to a profile. Exit codes are those of `iam serve`. Every option but the first three is one of `iam serve`.',
    effect: 'local',
    examples: [
      { title: 'On the usual port, with the store in data/store', command: '' },
      { title: 'For a test: any free port, nothing kept', command: '--port 0 --store memory -o json' },
    ],
  });
  command.option('--wait [seconds]', `how long it may take to be ready, default ${defaultWait}`);
  command.addOption(new Option('-o, --output <format>', 'how to print').choices([...formats]));
  command.option('-q, --quiet', 'no notices on standard error');
  const settings = runtime.manifest.settings.filter(({ flag, name }) => flag && name !== 'json');
  for (const setting of settings) command.addOption(createSettingOption(setting));
  command.action(async () => {
    const options = command.opts<CommandOptions>();
    const global: GlobalOptions = command.optsWithGlobals();
    const { output, quiet } = global;
    await withContext(runtime, { ...(output ? { output } : {}), quiet: quiet === true }, (context) =>
      start(context, readFlags(command, settings), parseTimeout(options.wait)),
    );
  });
}

function parseTimeout(given: unknown): number {
  const text = given === undefined || given === true ? String(defaultWait) : String(given);
  const [, seconds] = /^(\d{1,5}(?:\.\d+)?)s?$/.exec(text) ?? [];
  if (seconds === undefined || Number(seconds) === 0) throw usageError('--wait takes seconds, such as 10s.');
  return Number(seconds) * 1000;
}

type Flags = Readonly<Record<string, string | boolean>>;

async function start(context: Context, flags: Flags, timeoutMs: number): Promise<void> {
  const { variables } = context.environment;
  const data = resolveStoreFolder(context, flags);
  const name = serverNameOf(data);
  await withFileLock(getServerFile(name, 'lock', variables), async () => {
    const before = (await readServerRecords(variables)).find((record) => record.name === name);
    if (before && (await isServerRunning(before))) {
      context.notice(`It runs already; options take effect after \`iam server stop ${name}\`.`);
      return context.printer.value(await describeServer(before));
    }
    const log = getServerFile(name, 'log', variables);
    const launched = await launchServer({
      words: toServeArguments(flags),
      variables,
      log,
      timeoutMs,
      signal: context.io.signal,
    });
    const record = await saveServer(context, launched, { name, data, log });
    for (const warning of launched.ready.warnings ?? []) context.notice(`Warning: ${warning}`);
    noticeCredentials(context, launched.ready, record);
    await context.printer.value(await describeServer(record));
  });
}

/** The folder of the store; nothing where it is in memory. */
function resolveStoreFolder({ manifest, environment }: Context, flags: Flags): string | undefined {
  const settingOf = (name: string) => {
    const setting = manifest.settings.find((one) => one.name === name);
    return String(flags[name] ?? (environment.variables[setting?.environment ?? ''] || setting?.default));
  };
  return settingOf('store') === 'memory' ? undefined : path.resolve(settingOf('data'));
}

function defaultStoreFolder(settings: readonly ManifestSetting[]): string {
  return String(settings.find(({ name }) => name === 'data')?.default);
}

/** The flags as they are typed after `iam serve`. */
function toServeArguments(flags: Flags): string[] {
  return Object.entries(flags).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
}

/** What can be found again: the record first, so that there is never a server that nobody knows of. */
async function saveServer(
  { environment, manifest }: Context,
  { ready, pid, identity }: LaunchedServer,
  known: Pick<ServerRecord, 'name' | 'data' | 'log'>,
): Promise<ServerRecord> {
  const { variables, now } = environment;
  const record = { ...known, pid, identity, startedAt: now(), url: ready.url };
  await writeServerRecord(record, variables);
  const profile = profileNameOf(known.data, defaultStoreFolder(manifest.settings));
  if (!(await saveServerProfile(profile, ready, variables))) return record;
  const complete = { ...record, profile };
  await writeServerRecord(complete, variables);
  return complete;
}

function noticeCredentials(context: Context, ready: ReadyLine, { profile }: ServerRecord): void {
  const { adminClientId, adminClientSecret, adminUser, adminPassword } = ready;
  if (adminClientSecret !== undefined)
    context.notice(`The secret of the new administrator client ${adminClientId} is in the profile ${profile}.`);
  if (adminPassword !== undefined)
    context.notice(`New administrator user ${adminUser}, password shown this once: ${adminPassword}`);
  context.notice('Next: eval "$(iam env)", and any command. `iam server stop` ends it.');
}

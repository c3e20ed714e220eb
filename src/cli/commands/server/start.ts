/** `iam server start`: starts the server in the background. */
import path from 'node:path';
import { type Command, Option } from 'commander';
import { addCommand } from '../../command.ts';
import type { GlobalOptions } from '../../config/settings.ts';
import { type CliRuntime, type CommandOptions, type Context, withContext } from '../../context.ts';
import { usageError } from '../../errors.ts';
import type { Environment } from '../../io/io.ts';
import { withFileLock } from '../../io/private-files.ts';
import { type LaunchedServer, launchServer, type ReadyLine } from '../../local-server/launch.ts';
import { profileNameOf, saveServerProfile } from '../../local-server/server-profile.ts';
import {
  getServerFile,
  isServerRunning,
  readServerRecords,
  type ServerRecord,
  writeServerRecord,
} from '../../local-server/server-records.ts';
import { formats } from '../../output/format.ts';
import { addTrustOption, createSettingOption, readDefaultFolder, readFlags } from './serve.ts';
import { describeServer } from './status.ts';
import { parseTimeout } from './timeout.ts';

const defaultWait = 30;

/** Adds the command. It has the options of `iam serve`, so most global options are omitted. */
export function addStart(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'start', {
    title: 'Start the server in the background',
    description:
      'Waits until the server is ready. One server can run per store folder, one in memory, and one on a PostgreSQL database; if it is already running, the command reports it and succeeds. New credentials are stored in a profile. Exit codes are those of `iam serve`, and so are all options except the first three.',
    effect: 'local',
    examples: [
      { title: 'Use the default port and the store in data/store', command: '' },
      { title: 'For a test: any free port, in-memory store', command: '--port 0 --store memory -o json' },
    ],
  });
  command.option('--wait [seconds]', `startup timeout, default ${defaultWait}`);
  command.addOption(new Option('-o, --output <format>', 'output format').choices([...formats]));
  command.option('-q, --quiet', 'print no notices on standard error');
  addTrustOption(command);
  const settings = runtime.manifest.settings.filter(({ flag, name }) => flag && name !== 'json');
  for (const setting of settings) command.addOption(createSettingOption(setting));
  command.action(async () => {
    const options = command.opts<CommandOptions>();
    const global: GlobalOptions = command.optsWithGlobals();
    const { output, quiet } = global;
    await withContext(runtime, { ...(output ? { output } : {}), quiet: quiet === true }, (context) =>
      start(context, readFlags(command, settings), parseTimeout(options.wait, defaultWait)),
    );
  });
}

type Flags = Readonly<Record<string, string | boolean>>;

async function start(context: Context, flags: Flags, timeoutMs: number): Promise<void> {
  const { variables } = context.environment;
  const location = await resolveStore(flags, variables);
  const { serverNameOf } = await import('../../local-server/server-name.ts');
  const name = serverNameOf(location);
  await withFileLock(getServerFile(name, 'lock', variables), async () => {
    const existing = (await readServerRecords(variables)).find((record) => record.name === name);
    if (existing && (await isServerRunning(existing))) {
      context.notice(`Already running. To apply other options, stop it first with \`iam server stop ${name}\`.`);
      return context.printer.value(await describeServer(existing));
    }
    const log = getServerFile(name, 'log', variables);
    const launched = await launchServer({
      args: toServeArguments(flags),
      variables,
      log,
      timeoutMs,
      signal: context.io.signal,
    });
    const record = await saveServer(context, launched, { name, ...location, log });
    for (const warning of launched.ready.warnings ?? []) context.notice(`Warning: ${warning}`);
    noticeCredentials(context, launched.ready, record);
    await context.printer.value(await describeServer(record));
  });
}

/** Returns the kind of the store, and its folder, as the server resolves them: a seed can have settings. */
async function resolveStore(
  flags: Flags,
  variables: Environment['variables'],
): Promise<Pick<ServerRecord, 'store' | 'data'>> {
  const { readConfiguration, SeedError, SettingError } = await import('../../../server/seed/configuration.ts');
  const { settings } = await readConfiguration(flags, variables).catch((error: unknown) => {
    const isInvalid = error instanceof SettingError || error instanceof SeedError;
    throw isInvalid ? usageError(error.message) : error;
  });
  const { store, data } = settings;
  return store === 'file' ? { store, data: path.resolve(data) } : { store };
}

/** Converts flags to arguments of `iam serve`. */
function toServeArguments(flags: Flags): string[] {
  return Object.entries(flags).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
}

/** Writes the record first, so that a running server always has one, and then the profile. */
async function saveServer(
  { environment, manifest }: Context,
  { ready, pid, identity }: LaunchedServer,
  known: Pick<ServerRecord, 'name' | 'store' | 'data' | 'log'>,
): Promise<ServerRecord> {
  const { variables, now } = environment;
  const record = { ...known, pid, identity, startedAt: now(), url: ready.url };
  await writeServerRecord(record, variables);
  const name = profileNameOf(known, readDefaultFolder(manifest.settings));
  const profile = await saveServerProfile(name, ready, record, variables);
  if (profile === undefined) return record;
  const complete = { ...record, profile };
  await writeServerRecord(complete, variables);
  return complete;
}

function noticeCredentials(context: Context, ready: ReadyLine, { profile }: ServerRecord): void {
  const { adminClientId, adminClientSecret, adminUser, adminPassword } = ready;
  if (adminClientSecret !== undefined)
    context.notice(`Stored the secret of the new administrator client ${adminClientId} in the profile ${profile}.`);
  if (adminPassword !== undefined)
    context.notice(`Created the administrator user ${adminUser}. Password (shown only once): ${adminPassword}`);
  context.notice('Next: run eval "$(iam env)", then any command. Stop the server with `iam server stop`.');
}

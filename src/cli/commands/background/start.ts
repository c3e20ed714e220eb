/** `iam server start`: the server in the background. */
import path from 'node:path';
import { type Command, Option } from 'commander';
import type { ManifestSetting } from '../../../contract/manifest-types.ts';
import { addLeaf, type Options } from '../../leaf.ts';
import { type Context, type Surroundings, withContext } from '../../runtime/context.ts';
import { usageError } from '../../runtime/failures.ts';
import { underLock } from '../../runtime/files.ts';
import { formats } from '../../runtime/output.ts';
import type { GlobalOptions } from '../../runtime/settings.ts';
import { flagsOf, optionOf } from '../serve.ts';
import { type Launched, launch, type ReadyLine } from './launch.ts';
import { keepProfile, profileFor } from './profiles.ts';
import { fileOf, isRunning, nameFor, readRecords, type ServerRecord, writeRecord } from './records.ts';
import { shown } from './status.ts';

const usualWait = 30;

/** Adds the command. Its options are those of `iam serve`, so it has few of those that all others have. */
export function addStart(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'start', {
    title: 'Starts the server in the background, and waits until it is ready',
    description:
      'One server for each store folder, and one in memory: where it runs already, this says so and is done. New credentials go to a profile. Exit codes are those of `iam serve`. Every option but the first three is one of `iam serve`.',
    effect: 'local',
    examples: [
      { title: 'On the usual port, with the store in data/store', command: '' },
      { title: 'For a test: any free port, nothing kept', command: '--port 0 --store memory -o json' },
    ],
  });
  command.option('--wait [seconds]', `how long it may take to be ready, default ${usualWait}`);
  command.addOption(new Option('-o, --output <format>', 'how to print').choices([...formats]));
  command.option('-q, --quiet', 'no notices on standard error');
  const settings = surroundings.manifest.settings.filter(({ flag, name }) => flag && name !== 'json');
  for (const setting of settings) command.addOption(optionOf(setting));
  command.action(async () => {
    const options = command.opts<Options>();
    const global: GlobalOptions = command.optsWithGlobals();
    const { output, quiet } = global;
    await withContext(surroundings, { ...(output ? { output } : {}), quiet: quiet === true }, (context) =>
      start(context, flagsOf(command, settings), patienceOf(options.wait)),
    );
  });
}

function patienceOf(given: unknown): number {
  const text = given === undefined || given === true ? String(usualWait) : String(given);
  const [, seconds] = /^(\d{1,5}(?:\.\d+)?)s?$/.exec(text) ?? [];
  if (seconds === undefined || Number(seconds) === 0) throw usageError('--wait takes seconds, such as 10s.');
  return Number(seconds) * 1000;
}

type Flags = Readonly<Record<string, string | boolean>>;

async function start(context: Context, flags: Flags, patience: number): Promise<void> {
  const { variables } = context.environment;
  const data = storeFolder(context, flags);
  const name = nameFor(data);
  await underLock(fileOf(name, 'lock', variables), async () => {
    const before = (await readRecords(variables)).find((record) => record.name === name);
    if (before && (await isRunning(before))) {
      context.notice(`It runs already; options take effect after \`iam server stop ${name}\`.`);
      return context.printer.value(await shown(before));
    }
    const log = fileOf(name, 'log', variables);
    const launched = await launch({ words: wordsOf(flags), variables, log, patience, signal: context.io.signal });
    const record = await kept(context, launched, { name, data, log });
    for (const warning of launched.ready.warnings ?? []) context.notice(`Warning: ${warning}`);
    tellCredentials(context, launched.ready, record);
    await context.printer.value(await shown(record));
  });
}

/** The folder of the store; nothing where it is in memory. */
function storeFolder({ manifest, environment }: Context, flags: Flags): string | undefined {
  const settingOf = (name: string) => {
    const setting = manifest.settings.find((one) => one.name === name);
    return String(flags[name] ?? (environment.variables[setting?.environment ?? ''] || setting?.default));
  };
  return settingOf('store') === 'memory' ? undefined : path.resolve(settingOf('data'));
}

function usualFolder(settings: readonly ManifestSetting[]): string {
  return String(settings.find(({ name }) => name === 'data')?.default);
}

/** The flags as they are typed after `iam serve`. */
function wordsOf(flags: Flags): string[] {
  return Object.entries(flags).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
}

/** What can be found again: the record first, so that there is never a server that nobody knows of. */
async function kept(
  { environment, manifest }: Context,
  { ready, pid, identity }: Launched,
  known: Pick<ServerRecord, 'name' | 'data' | 'log'>,
): Promise<ServerRecord> {
  const { variables, now } = environment;
  const record = { ...known, pid, identity, startedAt: now(), url: ready.url };
  await writeRecord(record, variables);
  const profile = profileFor(known.data, usualFolder(manifest.settings));
  if (!(await keepProfile(profile, ready, variables))) return record;
  const complete = { ...record, profile };
  await writeRecord(complete, variables);
  return complete;
}

function tellCredentials(context: Context, ready: ReadyLine, { profile }: ServerRecord): void {
  const { adminClientId, adminClientSecret, adminUser, adminPassword } = ready;
  if (adminClientSecret !== undefined)
    context.notice(`The secret of the new administrator client ${adminClientId} is in the profile ${profile}.`);
  if (adminPassword !== undefined)
    context.notice(`New administrator user ${adminUser}, password shown this once: ${adminPassword}`);
  context.notice('Next: eval "$(iam env)", and any command. `iam server stop` ends it.');
}

/** `iam server stop`: ends servers in the background. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { addLeaf, type Options, runs } from '../../leaf.ts';
import type { Context, Surroundings } from '../../runtime/context.ts';
import { usageError } from '../../runtime/failures.ts';
import { underLock } from '../../runtime/files.ts';
import { addServerArgument, runningServer } from './choice.ts';
import { sendSignal } from './processes.ts';
import { fileOf, isRunning, readRecords, runningServers, type ServerRecord, writeRecord } from './records.ts';

/** Adds the command. */
export function addStop(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'stop', {
    title: 'Stops a server in the background',
    description:
      'Calls under way are finished first. Where none runs, there is nothing to do. Only a process that `iam server start` started is ever ended.',
    effect: 'local',
    examples: [
      { title: 'The one that runs', command: '' },
      { title: 'One of several', command: 'memory' },
    ],
  });
  addServerArgument(command).option('--all', 'stop all of them');
  runs(command, surroundings, (context, [typed], options) => stop(context, typed as string | undefined, options));
}

async function stop(context: Context, typed: string | undefined, options: Options): Promise<void> {
  if (options.all === true && typed !== undefined) throw usageError('Name a server, or give --all.');
  const { environment } = context;
  const found = options.all === true ? undefined : await runningServer(typed, environment);
  const meant = options.all === true ? await runningServers(environment.variables) : found ? [found] : [];
  for (const record of meant) await stopOne(context, record);
  if (meant.length === 0) context.notice('No such server runs in the background.');
}

async function stopOne(context: Context, record: ServerRecord): Promise<void> {
  const { variables } = context.environment;
  const killed = await underLock(fileOf(record.name, 'lock', variables), async () => {
    const wasKilled = await ended(record);
    const current = (await readRecords(variables)).find(({ name }) => name === record.name);
    // Another may have been started while this waited for its turn.
    if (current?.identity === record.identity) await writeRecord({ ...record, stopped: true }, variables);
    return wasKilled;
  });
  context.notice(
    `Stopped ${record.name} (${record.url})${killed ? ', which did not end when asked and was killed' : ''}.`,
  );
}

const step = 25;
/** Longer than the server itself gives to calls under way. */
const patience = 15_000;
const lastPatience = 5_000;

/** Asks, and makes it end only after a while. @returns whether that was needed. */
async function ended(record: ServerRecord): Promise<boolean> {
  if (!(await isRunning(record))) return false;
  sendSignal(record.pid, 'SIGTERM');
  if (await isGone(record, patience)) return false;
  if (await isRunning(record)) sendSignal(record.pid, 'SIGKILL');
  if (await isGone(record, lastPatience)) return true;
  throw new Error(`The server ${record.name} (process ${record.pid}) can't be ended.`);
}

async function isGone(record: ServerRecord, within: number): Promise<boolean> {
  for (let waited = 0; waited < within; waited += step) {
    if (!(await isRunning(record))) return true;
    await pause(step);
  }
  return !(await isRunning(record));
}

/** `iam server stop`: ends servers in the background. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { addCommand, type CommandOptions, setAction } from '../../command.ts';
import type { CliRuntime, Context } from '../../runtime/context.ts';
import { usageError } from '../../runtime/errors.ts';
import { withFileLock } from '../../runtime/private-files.ts';
import { sendSignal } from './processes.ts';
import { addServerArgument, findRunningServer } from './select-server.ts';
import {
  getServerFile,
  isServerRunning,
  listRunningServers,
  readServerRecords,
  type ServerRecord,
  writeServerRecord,
} from './server-records.ts';

/** Adds the command. */
export function addStop(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'stop', {
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
  setAction(command, runtime, (context, [typed], options) => stop(context, typed as string | undefined, options));
}

async function stop(context: Context, typed: string | undefined, options: CommandOptions): Promise<void> {
  if (options.all === true && typed !== undefined) throw usageError('Name a server, or give --all.');
  const { environment } = context;
  const found = options.all === true ? undefined : await findRunningServer(typed, environment);
  const meant = options.all === true ? await listRunningServers(environment.variables) : found ? [found] : [];
  for (const record of meant) await stopOne(context, record);
  if (meant.length === 0) context.notice('No such server runs in the background.');
}

async function stopOne(context: Context, record: ServerRecord): Promise<void> {
  const { variables } = context.environment;
  const killed = await withFileLock(getServerFile(record.name, 'lock', variables), async () => {
    const wasKilled = await terminate(record);
    const current = (await readServerRecords(variables)).find(({ name }) => name === record.name);
    // Another may have been started while this waited for its turn.
    if (current?.identity === record.identity) await writeServerRecord({ ...record, stopped: true }, variables);
    return wasKilled;
  });
  context.notice(
    `Stopped ${record.name} (${record.url})${killed ? ', which did not end when asked and was killed' : ''}.`,
  );
}

const pollMs = 25;
/** Longer than the server itself gives to calls under way. */
const stopTimeoutMs = 15_000;
const killTimeoutMs = 5_000;

/** Asks, and makes it end only after a while. @returns whether that was needed. */
async function terminate(record: ServerRecord): Promise<boolean> {
  if (!(await isServerRunning(record))) return false;
  sendSignal(record.pid, 'SIGTERM');
  if (await waitUntilGone(record, stopTimeoutMs)) return false;
  if (await isServerRunning(record)) sendSignal(record.pid, 'SIGKILL');
  if (await waitUntilGone(record, killTimeoutMs)) return true;
  throw new Error(`The server ${record.name} (process ${record.pid}) can't be ended.`);
}

async function waitUntilGone(record: ServerRecord, within: number): Promise<boolean> {
  for (let waited = 0; waited < within; waited += pollMs) {
    if (!(await isServerRunning(record))) return true;
    await pause(pollMs);
  }
  return !(await isServerRunning(record));
}

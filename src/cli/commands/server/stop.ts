/** `iam server stop`: stops background servers. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { withFileLock } from '../../io/private-files.ts';
import { sendSignal } from '../../io/processes.ts';
import { addServerArgument, findKnownServers, findRunningServer } from '../../local-server/select-server.ts';
import {
  getServerFile,
  isServerRunning,
  listRunningServers,
  readServerRecords,
  type ServerRecord,
  writeServerRecord,
} from '../../local-server/server-records.ts';

export function addStop(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'stop', {
    title: 'Stop a background server',
    description:
      'The server finishes requests in progress before it exits. Succeeds if no server is running, or if the named one has stopped; an unknown name exits with 3. Only processes started by `iam server start` are stopped.',
    effect: 'local',
    examples: [
      { title: 'Stop the running server', command: '' },
      { title: 'Stop one of several servers', command: 'memory' },
    ],
  });
  addServerArgument(command).option('--all', 'stop all servers');
  setAction(command, runtime, (context, [typed], options) => stop(context, typed as string | undefined, options));
}

async function stop(context: Context, typed: string | undefined, options: CommandOptions): Promise<void> {
  if (options.all === true && typed !== undefined) throw usageError('Name a server or use --all, not both.');
  const { environment } = context;
  const found = options.all === true ? undefined : await findRunningServer(typed, environment);
  // A server that has stopped is not an error, but a name that does not exist is.
  if (!found && typed !== undefined) await findKnownServers(typed, environment);
  const selected = options.all === true ? await listRunningServers(environment.variables) : found ? [found] : [];
  for (const record of selected) await stopOne(context, record);
  if (selected.length === 0) context.notice('No matching background server is running.');
}

async function stopOne(context: Context, record: ServerRecord): Promise<void> {
  const { variables } = context.environment;
  const killed = await withFileLock(getServerFile(record.name, 'lock', variables), async () => {
    const wasKilled = await terminate(record);
    const current = (await readServerRecords(variables)).find(({ name }) => name === record.name);
    // Another server may have been started while this command waited for the lock.
    if (current?.identity === record.identity) await writeServerRecord({ ...record, stopped: true }, variables);
    return wasKilled;
  });
  context.notice(
    `Stopped ${record.name} (${record.url})${killed ? ', which did not exit on SIGTERM and was killed' : ''}.`,
  );
}

const pollMs = 25;
/** Longer than the server's own shutdown timeout. */
const stopTimeoutMs = 15_000;
const killTimeoutMs = 5_000;

/** Sends SIGTERM, then SIGKILL after a timeout. @returns whether SIGKILL was needed. */
async function terminate(record: ServerRecord): Promise<boolean> {
  if (!(await isServerRunning(record))) return false;
  sendSignal(record.pid, 'SIGTERM');
  if (await waitForExit(record, stopTimeoutMs)) return false;
  if (await isServerRunning(record)) sendSignal(record.pid, 'SIGKILL');
  if (await waitForExit(record, killTimeoutMs)) return true;
  throw new Error(`The server ${record.name} (process ${record.pid}) could not be stopped.`);
}

async function waitForExit(record: ServerRecord, timeoutMs: number): Promise<boolean> {
  for (let waited = 0; waited < timeoutMs; waited += pollMs) {
    if (!(await isServerRunning(record))) return true;
    await pause(pollMs);
  }
  return !(await isServerRunning(record));
}

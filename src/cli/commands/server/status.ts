/** `iam server status`: shows background servers. */
import type { Command } from 'commander';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, Context } from '../../context.ts';
import { QuietExit } from '../../errors.ts';
import { addServerArgument, findKnownServers } from '../../local-server/select-server.ts';
import { isServerRunning, readServerRecords, type ServerRecord } from '../../local-server/server-records.ts';

/** Adds the command. */
export function addStatus(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'status', {
    title: 'Show the status of background servers',
    description:
      'Exits with 0 if a server is running, otherwise with 1, and with 3 for an unknown name. The state `ended` means that a server exited without `iam server stop`; see its log for the reason.',
    effect: 'local',
    examples: [
      { title: 'Show all servers', command: '' },
      { title: 'Show one server', command: 'memory' },
      { title: 'In a script', command: '-q -o json' },
    ],
  });
  setAction(addServerArgument(command), runtime, (context, [typed]) => status(context, typed as string | undefined));
}

async function status(context: Context, typed: string | undefined): Promise<void> {
  const { environment } = context;
  const known = await (typed === undefined
    ? readServerRecords(environment.variables)
    : findKnownServers(typed, environment));
  const rows = await Promise.all(known.filter(({ stopped }) => stopped !== true).map(describeServer));
  if (rows.length > 0 || !context.printer.isForPeople) await context.printer.value(selectTableColumns(context, rows));
  if (rows.some(({ state }) => state === 'running')) return;
  context.notice('No background server is running.');
  throw new QuietExit(1);
}

/** Selects the columns that fit a terminal without truncating URLs; `wide` prints all. */
function selectTableColumns(
  { printer, settings }: Context,
  rows: Awaited<ReturnType<typeof describeServer>>[],
): readonly object[] {
  if (!printer.isForPeople || printer.format !== 'table' || settings.options.columns !== undefined) return rows;
  return rows.map(({ name, state, url, pid, store, data = `(${store})` }) => ({ name, state, url, pid, data }));
}

/** Returns a server record as commands print it. */
export async function describeServer(record: ServerRecord) {
  const { name, url, pid, store, data, profile, log } = record;
  const state = (await isServerRunning(record)) ? 'running' : 'ended';
  return { name, state, url, pid, store, data, profile, log };
}

/** `iam server status`: what runs in the background. */
import type { Command } from 'commander';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, Context } from '../../runtime/context.ts';
import { QuietExit } from '../../runtime/errors.ts';
import { addServerArgument } from './select-server.ts';
import { isServerRunning, matchesServer, readServerRecords, type ServerRecord } from './server-records.ts';

/** Adds the command. */
export function addStatus(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'status', {
    title: 'Tells which servers run in the background',
    description:
      'Exit code 0 where one does, else 1. One that `ended` was not stopped by this command; its log says why.',
    effect: 'local',
    examples: [
      { title: 'All of them', command: '' },
      { title: 'In a script', command: '-q -o json' },
    ],
  });
  setAction(addServerArgument(command), runtime, (context, [typed]) => status(context, typed as string | undefined));
}

async function status(context: Context, typed: string | undefined): Promise<void> {
  const records = (await readServerRecords(context.environment.variables)).filter(({ stopped }) => stopped !== true);
  const meant = typed === undefined ? records : records.filter((record) => matchesServer(record, typed));
  const rows = await Promise.all(meant.map(describeServer));
  if (rows.length > 0 || !context.printer.isForPeople) await context.printer.value(selectTableColumns(context, rows));
  if (rows.some(({ state }) => state === 'running')) return;
  context.notice('No server runs in the background.');
  throw new QuietExit(1);
}

/** An address that is cut is of no use: a table has what fits, wide has all. */
function selectTableColumns(
  { printer, sources }: Context,
  rows: Awaited<ReturnType<typeof describeServer>>[],
): readonly object[] {
  if (!printer.isForPeople || printer.format !== 'table' || sources.options.columns !== undefined) return rows;
  return rows.map(({ name, state, url, pid, data = '(memory)' }) => ({ name, state, url, pid, data }));
}

/** A server as commands print it. */
export async function describeServer(record: ServerRecord) {
  const { name, url, pid, data, profile, log } = record;
  const state = (await isServerRunning(record)) ? 'running' : 'ended';
  return { name, state, url, pid, store: data === undefined ? 'memory' : 'file', data, profile, log };
}

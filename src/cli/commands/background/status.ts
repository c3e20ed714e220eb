/** `iam server status`: what runs in the background. */
import type { Command } from 'commander';
import { addLeaf, runs } from '../../leaf.ts';
import type { Context, Surroundings } from '../../runtime/context.ts';
import { QuietExit } from '../../runtime/failures.ts';
import { addServerArgument } from './choice.ts';
import { isMeant, isRunning, readRecords, type ServerRecord } from './records.ts';

/** Adds the command. */
export function addStatus(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'status', {
    title: 'Tells which servers run in the background',
    description:
      'Exit code 0 where one does, else 1. One that `ended` was not stopped by this command; its log says why.',
    effect: 'local',
    examples: [
      { title: 'All of them', command: '' },
      { title: 'In a script', command: '-q -o json' },
    ],
  });
  runs(addServerArgument(command), surroundings, (context, [typed]) => status(context, typed as string | undefined));
}

async function status(context: Context, typed: string | undefined): Promise<void> {
  const records = (await readRecords(context.environment.variables)).filter(({ stopped }) => stopped !== true);
  const meant = typed === undefined ? records : records.filter((record) => isMeant(record, typed));
  const rows = await Promise.all(meant.map(shown));
  if (rows.length > 0 || !context.printer.isForPeople) await context.printer.value(forTable(context, rows));
  if (rows.some(({ state }) => state === 'running')) return;
  context.notice('No server runs in the background.');
  throw new QuietExit(1);
}

/** An address that is cut is of no use: a table has what fits, wide has all. */
function forTable({ printer, sources }: Context, rows: Awaited<ReturnType<typeof shown>>[]): readonly object[] {
  if (!printer.isForPeople || printer.format !== 'table' || sources.options.columns !== undefined) return rows;
  return rows.map(({ name, state, url, pid, data = '(memory)' }) => ({ name, state, url, pid, data }));
}

/** A server as commands print it. */
export async function shown(record: ServerRecord) {
  const { name, url, pid, data, profile, log } = record;
  const state = (await isRunning(record)) ? 'running' : 'ended';
  return { name, state, url, pid, store: data === undefined ? 'memory' : 'file', data, profile, log };
}

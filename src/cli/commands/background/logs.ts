/** `iam server logs`: what a server in the background said. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { addLeaf, type Options, runs } from '../../leaf.ts';
import type { Context, Surroundings } from '../../runtime/context.ts';
import { escapeLines } from '../../runtime/control-characters.ts';
import { usageError } from '../../runtime/failures.ts';
import { addServerArgument, lastServer } from './choice.ts';
import { lastLines, readFrom } from './log-file.ts';
import { isRunning, type ServerRecord } from './records.ts';

/** Adds the command. */
export function addLogs(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'logs', {
    title: 'Prints the log of a server in the background',
    description:
      'Of the one that runs, else of the last that did. How much it says is set with --log-level at its start.',
    effect: 'local',
    examples: [
      { title: 'All of it', command: '' },
      { title: 'The last lines, and what comes', command: '--lines 20 --follow' },
    ],
  });
  addServerArgument(command)
    .option('-f, --follow', 'go on with what comes, until the server ends')
    .option('-n, --lines <number>', 'only so many of the last lines');
  runs(command, surroundings, (context, [typed], options) => logs(context, typed as string | undefined, options));
}

async function logs(context: Context, typed: string | undefined, options: Options): Promise<void> {
  const count = options.lines === undefined ? Number.POSITIVE_INFINITY : Number(options.lines);
  if (options.lines !== undefined && !/^\d{1,9}$/.test(String(options.lines)))
    throw usageError('--lines takes a whole number.');
  const record = await lastServer(typed, context.environment);
  const there = await readFrom(record.log, 0);
  context.printer.lines(lastLines(there.toString('utf8'), count));
  if (options.follow === true) await follow(context, record, there.length);
}

const step = 200;

/** What comes behind `offset`; the last look is after the server has gone. */
async function follow({ io }: Context, record: ServerRecord, offset: number): Promise<void> {
  const decoder = new TextDecoder();
  for (let at = offset; io.stdout.writable; ) {
    const goesOn = await isRunning(record);
    const more = await readFrom(record.log, at);
    const text = decoder.decode(more, { stream: goesOn });
    if (text !== '') io.stdout.write(escapeLines(text));
    at += more.length;
    if (!goesOn) return;
    await pause(step, undefined, { signal: io.signal });
  }
}

/** `iam server logs`: what a server in the background said. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { addCommand, type CommandOptions, setAction } from '../../command.ts';
import type { CliRuntime, Context } from '../../runtime/context.ts';
import { escapeLines } from '../../runtime/control-characters.ts';
import { usageError } from '../../runtime/errors.ts';
import { lastLines, readLogFrom } from './log-file.ts';
import { addServerArgument, findLastServer } from './select-server.ts';
import { isServerRunning, type ServerRecord } from './server-records.ts';

/** Adds the command. */
export function addLogs(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'logs', {
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
  setAction(command, runtime, (context, [typed], options) => logs(context, typed as string | undefined, options));
}

async function logs(context: Context, typed: string | undefined, options: CommandOptions): Promise<void> {
  const count = options.lines === undefined ? Number.POSITIVE_INFINITY : Number(options.lines);
  if (options.lines !== undefined && !/^\d{1,9}$/.test(String(options.lines)))
    throw usageError('--lines takes a whole number.');
  const record = await findLastServer(typed, context.environment);
  const there = await readLogFrom(record.log, 0);
  context.printer.lines(lastLines(there.toString('utf8'), count));
  if (options.follow === true) await follow(context, record, there.length);
}

const pollMs = 200;

/** What comes behind `offset`; the last look is after the server has gone. */
async function follow({ io }: Context, record: ServerRecord, offset: number): Promise<void> {
  const decoder = new TextDecoder();
  for (let at = offset; io.stdout.writable; ) {
    const goesOn = await isServerRunning(record);
    const more = await readLogFrom(record.log, at);
    const text = decoder.decode(more, { stream: goesOn });
    if (text !== '') io.stdout.write(escapeLines(text));
    at += more.length;
    if (!goesOn) return;
    await pause(pollMs, undefined, { signal: io.signal });
  }
}

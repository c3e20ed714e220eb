/** `iam server logs`: prints the log of a background server. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { escapeLines } from '../../io/control-characters.ts';
import { lastLines, readLogFrom } from '../../local-server/log-file.ts';
import { addServerArgument, findLastServer } from '../../local-server/select-server.ts';
import { isServerRunning, type ServerRecord } from '../../local-server/server-records.ts';

export function addLogs(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'logs', {
    title: 'Print the log of a background server',
    description:
      'Prints the log of the running server, or of the last one that ran. An unknown name exits with 3. Set the log level with `iam server start --log-level`.',
    effect: 'local',
    live: true,
    examples: [
      { title: 'Print the whole log', command: '' },
      { title: 'Print the last lines and follow the log', command: '--lines 20 --follow' },
    ],
  });
  addServerArgument(command)
    .option('-f, --follow', 'follow the log until the server exits')
    .option('-n, --lines <number>', 'number of last lines to print');
  setAction(command, runtime, (context, [typed], options) => logs(context, typed as string | undefined, options));
}

async function logs(context: Context, typed: string | undefined, options: CommandOptions): Promise<void> {
  const count = options.lines === undefined ? Number.POSITIVE_INFINITY : Number(options.lines);
  if (options.lines !== undefined && !/^\d{1,9}$/.test(String(options.lines)))
    throw usageError('--lines must be a whole number.');
  const record = await findLastServer(typed, context.environment);
  const content = await readLogFrom(record.log, 0);
  context.printer.lines(lastLines(content.toString('utf8'), count));
  if (options.follow === true) await follow(context, record, content.length);
}

const pollMs = 200;

/** Prints what is appended after `offset`. Reads once more after the server has exited. */
async function follow({ io }: Context, record: ServerRecord, offset: number): Promise<void> {
  const decoder = new TextDecoder();
  for (let at = offset; io.stdout.writable; ) {
    const isRunning = await isServerRunning(record);
    const more = await readLogFrom(record.log, at);
    const text = decoder.decode(more, { stream: isRunning });
    if (text !== '') io.stdout.write(escapeLines(text));
    at += more.length;
    if (!isRunning) return;
    await pause(pollMs, undefined, { signal: io.signal });
  }
}

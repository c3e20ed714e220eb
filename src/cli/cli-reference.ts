/** Generates the reference of all commands from their declarations. */
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { manifest } from '../contract/manifest.ts';
import { commandPath } from './command.ts';
import { topics } from './commands/help.ts';
import { buildProgram } from './program.ts';

/** Renders docs/cli.md. */
export function renderCliReference(): string {
  const page = new TextSink();
  const io = {
    stdin: process.stdin,
    stdout: page,
    stderr: page,
    signal: new AbortController().signal,
    releaseSignals: () => undefined,
  };
  const program = buildProgram(io, { variables: {}, now: () => 0, random: () => 0 }, { manifest });
  const sections = [program, ...listRunnableCommands(program)].map((command) => renderSection(command, page));
  const topicSections = Object.values(topics).map((lines) => renderTopic(lines()));
  return [
    '# The iam command',
    '',
    'Generated from the commands by `npm run generate`.',
    '',
    ...sections,
    ...topicSections,
  ].join('\n');
}

/** Collects the text written to it. */
class TextSink extends Writable {
  #text = '';
  readonly columns = 100;

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#text += chunk.toString('utf8');
    done();
  }

  drain(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}

function listRunnableCommands(command: Command): Command[] {
  return command.commands.flatMap((below) => [...(isRunnable(below) ? [below] : []), ...listRunnableCommands(below)]);
}

/** A command with an action. `iam keys` has an action and subcommands. */
function isRunnable({ commands, options }: Command): boolean {
  return commands.length === 0 || options.length > 0;
}

/** Renders the help of a command. Global options appear only in the section of `iam`. */
function renderSection(command: Command, page: TextSink): string {
  command.outputHelp();
  const text = page.drain().trimEnd();
  const own = command.parent ? text.replace(/\nGlobal options:\n(?: {2}.*\n)+/, '') : text;
  return [`## ${commandPath(command)}`, '', '```', own, '```', ''].join('\n');
}

function renderTopic([title = '', ...lines]: readonly string[]): string {
  return [`## ${title}`, '', '```', lines.join('\n').trim(), '```', ''].join('\n');
}

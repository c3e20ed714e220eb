/** The reference of all commands, made from the commands themselves. */
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { manifest } from '../contract/manifest.ts';
import { topics } from './commands/help.ts';
import { wordsOf } from './leaf.ts';
import { buildProgram } from './program.ts';

/** docs/cli.md as text. */
export function cliReference(): string {
  const page = new Page();
  const io = {
    stdin: process.stdin,
    stdout: page,
    stderr: page,
    signal: new AbortController().signal,
    releaseSignals: () => undefined,
  };
  const program = buildProgram(io, { variables: {}, now: () => 0, random: () => 0 }, { manifest });
  const sections = [program, ...leavesBelow(program)].map((command) => section(command, page));
  const topicSections = Object.values(topics).map((lines) => topicSection(lines()));
  return [
    '# The iam command',
    '',
    'Generated from the commands by `npm run generate`.',
    '',
    ...sections,
    ...topicSections,
  ].join('\n');
}

/** Keeps what is written to it. */
class Page extends Writable {
  #text = '';
  readonly columns = 100;

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#text += chunk.toString('utf8');
    done();
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}

function leavesBelow(command: Command): Command[] {
  return command.commands.flatMap((below) => [...(isLeaf(below) ? [below] : []), ...leavesBelow(below)]);
}

/** What can be run: a noun has no options, and `iam keys` is both. */
function isLeaf({ commands, options }: Command): boolean {
  return commands.length === 0 || options.length > 0;
}

/** The help of a command; the options that all have stand only at the top. */
function section(command: Command, page: Page): string {
  command.outputHelp();
  const text = page.take().trimEnd();
  const own = command.parent ? text.replace(/\nGlobal options:\n(?: {2}.*\n)+/, '') : text;
  return [`## ${wordsOf(command)}`, '', '```', own, '```', ''].join('\n');
}

function topicSection([title = '', ...lines]: readonly string[]): string {
  return [`## ${title}`, '', '```', lines.join('\n').trim(), '```', ''].join('\n');
}

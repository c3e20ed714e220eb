/** What the scripts of the shells ask: `iam __complete bash BREAKS LINE`, or `iam __complete -- WORDS`. */
import type { Manifest } from '../../contract/manifest-types.ts';
import { buildProgram } from '../program.ts';
import { sourcesFor } from '../runtime/context.ts';
import type { Environment, Io } from '../runtime/io.ts';
import type { GlobalOptions, Sources } from '../runtime/settings.ts';
import { atCursor } from './at-cursor.ts';
import { bashTexts, readBashLine } from './bash-line.ts';
import { type Answer, nothing, presentable } from './candidate.ts';
import { listsBy } from './lists.ts';
import { positionOf } from './position.ts';

/** Milliseconds that all questions to the server may take together: who has pressed a key waits. */
const patience = 300;

export interface Completing {
  readonly io: Io;
  readonly environment: Environment;
  readonly manifest: Manifest;
  /** Begins the time that all questions to the server have together; called with the first of them, and once. */
  readonly limit?: () => AbortSignal;
}

/**
 * Writes one line that says of which kind the answer is, and one for each candidate. Whatever fails is silent: nobody
 * asked for anything yet.
 */
export async function complete(completing: Completing, given: readonly string[]): Promise<void> {
  const lines = await answerLines(completing, given).catch(() => linesOf(nothing, []));
  completing.io.stdout.write(`${lines.join('\n')}\n`);
}

async function answerLines(completing: Completing, given: readonly string[]): Promise<string[]> {
  if (given[0] !== 'bash') {
    const answer = await answerTo(completing, given.slice(1, -1), given.slice(1).at(-1) ?? '');
    return linesOf(
      answer,
      answer.values.map(({ value, text }) => (text ? `${value}\t${text}` : value)),
    );
  }
  const [, breaks = '', text = ''] = given;
  const line = readBashLine(text, breaks);
  if (line.redirects) return linesOf({ values: [], files: true }, []);
  const answer = await answerTo(completing, line.words.slice(1), line.typed);
  return linesOf(
    answer,
    bashTexts(
      line,
      answer.values.map(({ value }) => value),
    ),
  );
}

function linesOf({ files, open }: Answer, texts: readonly string[]): string[] {
  return [files ? 'files' : open ? 'open' : 'values', ...texts];
}

async function answerTo(completing: Completing, words: readonly string[], typed: string): Promise<Answer> {
  const { io, environment, manifest, limit = () => AbortSignal.timeout(patience) } = completing;
  const build = (within: Io, around: Environment, named: readonly string[]) =>
    buildProgram(within, around, { manifest, typed: named });
  // The list beside a command has the names that the command takes.
  const program = build(io, environment, [...words, 'list']);
  const options = positionOf(program, words).options as GlobalOptions;
  let known: Promise<Sources> | undefined;
  const sources = () => (known ??= sourcesFor(environment, options));
  let begun: AbortSignal | undefined;
  const lists = listsBy({ io, environment, sources, limit: () => (begun ??= limit()), build });
  return presentable(await atCursor({ program, manifest, environment, lists }, words, typed));
}

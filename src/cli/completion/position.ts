/** Where the cursor is among the commands: which command, how many arguments, which option waits for its value. */
import type { Command, Option } from 'commander';

export interface Position {
  readonly command: Command;
  /** What was typed for the command besides options. */
  readonly args: readonly string[];
  /** Options that were typed, by their long names. */
  readonly given: ReadonlySet<string>;
  /** Values of options that were typed, by the names under which commander keeps them. */
  readonly options: Readonly<Record<string, string>>;
  /** The option whose value comes next. */
  readonly waiting: Option | undefined;
  /** After `--` nothing is an option. */
  readonly literal: boolean;
  /** A word names no command, so nothing is known of what follows. */
  readonly lost: boolean;
}

/** Reads words the way commander does, but takes them as unfinished. `words` are those between `iam` and the cursor. */
export function positionOf(program: Command, words: readonly string[]): Position {
  const walk = new Walk(program);
  for (const word of words) walk.take(word);
  return walk;
}

class Walk implements Position {
  command: Command;
  readonly args: string[] = [];
  readonly given = new Set<string>();
  readonly options: Record<string, string> = {};
  waiting: Option | undefined;
  literal = false;
  lost = false;

  constructor(program: Command) {
    this.command = program;
  }

  take(word: string): void {
    if (this.waiting && mayBeLeft(this.waiting, this.options) && word.startsWith('-')) this.waiting = undefined;
    if (this.waiting) this.#value(this.waiting, word);
    else if (this.literal || !/^-./.test(word)) this.#operand(word);
    else if (word === '--') this.literal = true;
    else if (word.startsWith('--')) this.#long(word);
    else this.#short(word.slice(1));
  }

  #value(option: Option, word: string): void {
    this.options[option.attributeName()] = word;
    this.waiting = option.variadic ? option : undefined;
  }

  #long(word: string): void {
    const [name = '', ...rest] = word.split('=');
    const option = this.#named(name);
    if (!option) return;
    if (rest.length === 0) this.#note(option);
    else this.options[option.attributeName()] = rest.join('=');
  }

  /** `-qo json`, and `-ojson` as well. */
  #short(letters: string): void {
    const option = this.#named(`-${letters.slice(0, 1)}`);
    if (!option) return;
    const rest = letters.slice(1);
    if (rest === '' || !takesValue(option)) this.#note(option);
    else this.options[option.attributeName()] = rest;
    if (rest !== '' && !takesValue(option)) this.#short(rest);
  }

  #named(name: string): Option | undefined {
    const option = this.command.options.find(({ long, short }) => long === name || short === name);
    if (option) this.given.add(nameOf(option));
    return option;
  }

  #note(option: Option): void {
    if (takesValue(option)) this.waiting = option;
  }

  #operand(word: string): void {
    const below = this.args.length === 0 ? commandBelow(this.command, word) : undefined;
    if (below) {
      this.command = below;
      return;
    }
    this.lost ||= this.command.commands.length > 0 && this.command.registeredArguments.length === 0;
    this.args.push(word);
  }
}

/** A value that is optional, or one more of several. */
function mayBeLeft(option: Option, options: Readonly<Record<string, string>>): boolean {
  return option.optional || (option.variadic && option.attributeName() in options);
}

/** Whether a value belongs to an option. */
export function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

/** What an option is called: by its long name where it has one. */
export function nameOf({ long, short }: Option): string {
  return long ?? short ?? '';
}

/** The command that a word names below another, by its name or another name for it. */
export function commandBelow(command: Command, word: string): Command | undefined {
  return command.commands.find((below) => below.name() === word || below.aliases().includes(word));
}

/** Whether an option is given again and again: then its values are collected. */
export function repeats(option: Option): boolean {
  return option.variadic || typeof parsed(option, sampleOf(option)) === 'object';
}

/** Whether several values go into one word, with commas between. */
export function takesCommas(option: Option): boolean {
  const values = parsed(option, `${sampleOf(option)},${sampleOf(option)}`);
  return Array.isArray(values) && values.length === 2;
}

/** A value that an option takes. */
function sampleOf({ argChoices }: Option): string {
  return argChoices?.[0] ?? 'a=b';
}

/** What an option makes of a text; nothing where it refuses it. */
function parsed({ parseArg }: Option, text: string): unknown {
  try {
    return parseArg?.(text, undefined);
  } catch {
    return undefined;
  }
}

/** Where the cursor is among the commands: which command, how many arguments, which option waits for its value. */
import type { Command, Option } from 'commander';

export interface Position {
  readonly command: Command;
  /** What was typed for the command besides options. */
  readonly args: readonly string[];
  /** Options that were typed, by their long names. */
  readonly usedOptions: ReadonlySet<string>;
  /** Values of options that were typed, by the names under which commander keeps them. */
  readonly options: Readonly<Record<string, string>>;
  /** The option whose value comes next. */
  readonly pendingOption: Option | undefined;
  /** After `--` nothing is an option. */
  readonly literal: boolean;
  /** A word names no command, so nothing is known of what follows. */
  readonly isUnknown: boolean;
}

/** Reads words the way commander does, but takes them as unfinished. `words` are those between `iam` and the cursor. */
export function parsePosition(program: Command, words: readonly string[]): Position {
  const parser = new PositionParser(program);
  for (const word of words) parser.consume(word);
  return parser;
}

class PositionParser implements Position {
  command: Command;
  readonly args: string[] = [];
  readonly usedOptions = new Set<string>();
  readonly options: Record<string, string> = {};
  pendingOption: Option | undefined;
  literal = false;
  isUnknown = false;

  constructor(program: Command) {
    this.command = program;
  }

  consume(word: string): void {
    if (this.pendingOption && isValueOptional(this.pendingOption, this.options) && word.startsWith('-'))
      this.pendingOption = undefined;
    if (this.pendingOption) this.#value(this.pendingOption, word);
    else if (this.literal || !/^-./.test(word)) this.#operand(word);
    else if (word === '--') this.literal = true;
    else if (word.startsWith('--')) this.#long(word);
    else this.#short(word.slice(1));
  }

  #value(option: Option, word: string): void {
    this.options[option.attributeName()] = word;
    this.pendingOption = option.variadic ? option : undefined;
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
    if (option) this.usedOptions.add(optionName(option));
    return option;
  }

  #note(option: Option): void {
    if (takesValue(option)) this.pendingOption = option;
  }

  #operand(word: string): void {
    const below = this.args.length === 0 ? findSubcommand(this.command, word) : undefined;
    if (below) {
      this.command = below;
      return;
    }
    this.isUnknown ||= this.command.commands.length > 0 && this.command.registeredArguments.length === 0;
    this.args.push(word);
  }
}

/** A value that is optional, or one more of several. */
function isValueOptional(option: Option, options: Readonly<Record<string, string>>): boolean {
  return option.optional || (option.variadic && option.attributeName() in options);
}

/** Whether a value belongs to an option. */
export function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

/** What an option is called: by its long name where it has one. */
export function optionName({ long, short }: Option): string {
  return long ?? short ?? '';
}

/** The command that a word names below another, by its name or another name for it. */
export function findSubcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((below) => below.name() === word || below.aliases().includes(word));
}

/** Whether an option is given again and again: then its values are collected. */
export function isRepeatable(option: Option): boolean {
  return option.variadic || typeof parseOptionValue(option, sampleValue(option)) === 'object';
}

/** Whether several values go into one word, with commas between. */
export function acceptsCommaList(option: Option): boolean {
  const values = parseOptionValue(option, `${sampleValue(option)},${sampleValue(option)}`);
  return Array.isArray(values) && values.length === 2;
}

/** A value that an option takes. */
function sampleValue({ argChoices }: Option): string {
  return argChoices?.[0] ?? 'a=b';
}

/** What an option makes of a text; nothing where it refuses it. */
function parseOptionValue({ parseArg }: Option, text: string): unknown {
  try {
    return parseArg?.(text, undefined);
  } catch {
    return undefined;
  }
}

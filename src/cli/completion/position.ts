/** Parses the position of the cursor: command, arguments and the option that expects a value. */
import type { Command, Option } from 'commander';

export interface Position {
  readonly command: Command;
  /** The arguments of the command, without options. */
  readonly args: readonly string[];
  /** The options on the line, by long name. */
  readonly usedOptions: ReadonlySet<string>;
  /** The option values on the line, by commander attribute name. */
  readonly options: Readonly<Record<string, string>>;
  /** The option that expects the next word as its value. */
  readonly pendingOption: Option | undefined;
  /** After `--` every word is an argument. */
  readonly literal: boolean;
  /** A word is not a known command; the rest cannot be parsed. */
  readonly isUnknown: boolean;
}

/** Parses words as commander does, but accepts an incomplete line. `words` are those between `iam` and the cursor. */
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

  /** `-qo json` and `-ojson`. */
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

/** An optional value, or the next one of a variadic option. */
function isValueOptional(option: Option, options: Readonly<Record<string, string>>): boolean {
  return option.optional || (option.variadic && option.attributeName() in options);
}

export function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

export function optionName({ long, short }: Option): string {
  return long ?? short ?? '';
}

/** The subcommand with this name or alias. */
export function findSubcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((below) => below.name() === word || below.aliases().includes(word));
}

/** Whether an option can be repeated to collect values. */
export function isRepeatable(option: Option): boolean {
  return option.variadic || typeof parseOptionValue(option, sampleValue(option)) === 'object';
}

/** Whether an option accepts comma-separated values. */
export function acceptsCommaList(option: Option): boolean {
  const values = parseOptionValue(option, `${sampleValue(option)},${sampleValue(option)}`);
  return Array.isArray(values) && values.length === 2;
}

/** A sample value that an option accepts. */
function sampleValue({ argChoices }: Option): string {
  return argChoices?.[0] ?? 'a=b';
}

/** The parsed value of an option; undefined if the option rejects the text. */
function parseOptionValue({ parseArg }: Option, text: string): unknown {
  try {
    return parseArg?.(text, undefined);
  } catch {
    return undefined;
  }
}

/** What an option or an argument takes: from there on both are the same. */
import type { Command, Option } from 'commander';
import { sourcesOf, type ValueSource } from '../value-sources.ts';
import { acceptsCommaList, optionName, type Position } from './position.ts';

export interface Slot {
  /** The name of the argument, or what stands for the value of the option: `group`, `file`, `name=value`. */
  readonly name: string;
  /** What the command declares that it takes. */
  readonly sources: readonly ValueSource[];
  readonly choices?: readonly string[] | undefined;
  /** The option, as it is typed; absent for arguments. */
  readonly flag?: string;
  /** Which argument of the command it is, from 0. */
  readonly at?: number;
  /** Several values in one word, with commas between. */
  readonly commas: boolean;
  /** Values that were given already, where the slot takes several. */
  readonly usedValues: readonly string[];
}

/** The value of an option. */
export function createOptionSlot(option: Option, command: Command): Slot {
  const [, name = ''] = /[<[]([^>\].]*)/.exec(option.flags) ?? [];
  const flag = optionName(option);
  const commas = acceptsCommaList(option) || name === 'names' || name === 'values';
  return { name, sources: sourcesOf(command, flag), choices: option.argChoices, flag, commas, usedValues: [] };
}

/** The next argument of a command, where it takes one more. */
export function createArgumentSlot({ command, args }: Position): Slot | undefined {
  const declared = command.registeredArguments;
  const last = declared.at(-1);
  const at = last?.variadic ? Math.min(args.length, declared.length - 1) : args.length;
  const argument = declared[at];
  if (!argument) return undefined;
  const name = argument.name();
  const usedValues = argument.variadic ? args.slice(at) : [];
  return { name, sources: sourcesOf(command, name), choices: argument.argChoices, at, commas: false, usedValues };
}

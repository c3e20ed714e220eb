/** The value of an option or an argument to complete. */
import type { Command, Option } from 'commander';
import { resolveOptionAlias } from '../command.ts';
import { sourcesOf, type ValueSource } from '../prompts/value-sources.ts';
import { acceptsCommaList, optionName, type Position } from './position.ts';

export interface Slot {
  /** The name of the argument or the placeholder of the option: `group`, `file`, `name=value`. */
  readonly name: string;
  /** The declared sources of its values. */
  readonly sources: readonly ValueSource[];
  readonly choices?: readonly string[] | undefined;
  /** The flag of the option; absent for arguments. */
  readonly flag?: string;
  /** The index of the argument, from 0. */
  readonly at?: number;
  /** Accepts comma-separated values. */
  readonly commas: boolean;
  /** The values on the line already, if the slot takes several. */
  readonly usedValues: readonly string[];
}

/** The slot of an option's value. */
export function createOptionSlot(named: Option, command: Command): Slot {
  const option = resolveOptionAlias(named);
  const [, name = ''] = /[<[]([^>\].]*)/.exec(option.flags) ?? [];
  const flag = optionName(option);
  const commas = acceptsCommaList(option) || name === 'names' || name === 'values';
  return { name, sources: sourcesOf(command, flag), choices: option.argChoices, flag, commas, usedValues: [] };
}

/** The slot of a command's next argument; undefined if it takes no more. */
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

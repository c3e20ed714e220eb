/** What a value is called that an option or an argument takes: from there on both are the same. */
import type { Argument, Command, Option } from 'commander';
import { singular } from '../fields.ts';
import { nameOf, type Position, takesCommas } from './position.ts';

export interface Slot {
  /** Such as `group`, `user-id` or `file`. */
  readonly name: string;
  readonly choices?: readonly string[] | undefined;
  /** The option, as it is typed; absent for arguments. */
  readonly flag?: string;
  /** Which argument of the command it is, from 0. */
  readonly at?: number;
  /** Several values in one word, with commas between. */
  readonly commas: boolean;
  /** Values that were given already, where the slot takes several. */
  readonly taken: readonly string[];
}

/** Words for a value that say nothing of it, so that the option itself has to. */
const vague = ['value', 'values', 'names', 'yes', 'number'];

/** The value of an option: `--add-role <role>` takes a role, `--client-id <id>` a client id, `--user <name>` a user name. */
export function slotOfOption(option: Option, { parent }: Command): Slot {
  const [, placeholder = ''] = /[<[]([^>\].]*)/.exec(option.flags) ?? [];
  const flag = nameOf(option);
  const last = flag.replace(/^--?/, '').split('.').at(-1) ?? '';
  const meant = vague.includes(placeholder) ? last : joined(last, placeholder);
  const name = joined(singular(parent?.name() ?? ''), meant);
  const commas = takesCommas(option) || placeholder === 'names' || placeholder === 'values';
  return { name, choices: option.argChoices, flag, commas, taken: [] };
}

/** The next argument of a command, where it takes one more. */
export function slotOfArgument({ command, args }: Position): Slot | undefined {
  const declared = command.registeredArguments;
  const last = declared.at(-1);
  const at = last?.variadic ? Math.min(args.length, declared.length - 1) : args.length;
  const argument = declared[at];
  if (!argument) return undefined;
  const taken = argument.variadic ? args.slice(at) : [];
  return { name: argumentSlotName(command, argument), choices: argument.argChoices, at, commas: false, taken };
}

function argumentSlotName(command: Command, argument: Argument): string {
  return joined(singular(command.parent?.name() ?? ''), argument.name());
}

/** An id or a name is one of what it stands for. */
function joined(owner: string, name: string): string {
  if (name !== 'id' && name !== 'name') return name;
  return owner.endsWith(`-${name}`) || owner === name ? owner : `${owner}-${name}`;
}

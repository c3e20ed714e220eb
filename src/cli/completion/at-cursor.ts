/** What can stand at the cursor: commands, options, or values of what takes some. */
import type { Command, Option } from 'commander';
import { type Answer, behind, type Candidate, nothing } from './candidate.ts';
import { nameOf, type Position, positionOf, repeats, takesValue } from './position.ts';
import { slotOfArgument, slotOfOption } from './slot.ts';
import { type Asked, valuesFor } from './values.ts';

export type Around = Omit<Asked, 'slot' | 'typed' | 'position'>;

/** The candidates for `typed`, the word at the cursor as far as it is there, after these words. */
export async function atCursor(around: Around, words: readonly string[], typed: string): Promise<Answer> {
  const position = positionOf(around.program, words);
  const { waiting } = position;
  if (position.lost) return nothing;
  if (waiting && !(waiting.optional && typed.startsWith('-')))
    return valuesFor({ ...around, position, typed, slot: slotOfOption(waiting, position.command) });
  if (position.literal || !typed.startsWith('-')) return wordsAt(around, position, typed);
  const [, name = '', value] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? [];
  if (value === undefined) return { values: optionsOf(position, typed) };
  const option = position.command.options.find(({ long }) => long === name);
  if (!option || !takesValue(option)) return nothing;
  return behind(
    `${name}=`,
    await valuesFor({ ...around, position, typed: value, slot: slotOfOption(option, position.command) }),
  );
}

/** Commands and values; where a command takes neither, its options. */
async function wordsAt(around: Around, position: Position, typed: string): Promise<Answer> {
  const { command, args, literal } = position;
  const commands = args.length === 0 && !literal ? commandsOf(command, typed) : [];
  const slot = slotOfArgument(position);
  if (!slot && command.commands.length === 0 && !literal) return { values: optionsOf(position, typed) };
  const answer = slot ? await valuesFor({ ...around, position, typed, slot }) : nothing;
  // One that begins with a dash would be taken for an option.
  const values = answer.values.filter(({ value }) => literal || !value.startsWith('-'));
  return { ...answer, values: [...commands, ...values] };
}

/** Commands by their names; by another name only where just that one is typed. */
function commandsOf(command: Command, typed: string): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .flatMap((below) => {
      const names = [below.name(), ...below.aliases()];
      const other = names.find((name) => name.startsWith(typed));
      const found = other === undefined || other === below.name() ? [below.name()] : [below.name(), other];
      return found.map((value) => ({ value, text: below.summary() }));
    });
}

/** Those that were not given, or may be again; by the short name where that is typed. */
function optionsOf({ command, given }: Position, typed: string): Candidate[] {
  const left = command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => !given.has(nameOf(option)) || repeats(option));
  return left.map((option) => ({ value: spelled(option, typed), text: option.description }));
}

function spelled(option: Option, typed: string): string {
  return option.short === typed ? typed : nameOf(option);
}

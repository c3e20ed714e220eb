/** Completes the word at the cursor: commands, options and values. */
import type { Command, Option } from 'commander';
import { type Candidate, type Completions, noCompletions, withPrefix } from './candidate.ts';
import { isRepeatable, optionName, type Position, parsePosition, takesValue } from './position.ts';
import { createArgumentSlot, createOptionSlot } from './slot.ts';
import { completeValue, type ValueRequest } from './values.ts';

export type CursorContext = Omit<ValueRequest, 'slot' | 'typed' | 'position'>;

/** Returns the candidates for `typed`, the partial word at the cursor, after the preceding words. */
export async function completeAtCursor(
  cursorContext: CursorContext,
  words: readonly string[],
  typed: string,
): Promise<Completions> {
  const position = parsePosition(cursorContext.program, words);
  const { pendingOption } = position;
  if (position.isUnknown) return noCompletions;
  if (pendingOption && !(pendingOption.optional && typed.startsWith('-')))
    return completeValue({
      ...cursorContext,
      position,
      typed,
      slot: createOptionSlot(pendingOption, position.command),
    });
  if (position.literal || !typed.startsWith('-')) return completeWords(cursorContext, position, typed);
  const [, name = '', value] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? [];
  if (value === undefined) return { values: listOptions(position, typed) };
  const option = position.command.options.find(({ long }) => long === name);
  if (!option || !takesValue(option)) return noCompletions;
  return withPrefix(
    `${name}=`,
    await completeValue({ ...cursorContext, position, typed: value, slot: createOptionSlot(option, position.command) }),
  );
}

/** Subcommands and values; options if the command has neither. */
async function completeWords(cursorContext: CursorContext, position: Position, typed: string): Promise<Completions> {
  const { command, args, literal } = position;
  const commands = args.length === 0 && !literal ? listCommands(command, typed) : [];
  const slot = createArgumentSlot(position);
  if (!slot && command.commands.length === 0 && !literal) return { values: listOptions(position, typed) };
  const result = slot ? await completeValue({ ...cursorContext, position, typed, slot }) : noCompletions;
  // A value that starts with a dash would be parsed as an option.
  const values = result.values.filter(({ value }) => literal || !value.startsWith('-'));
  return { ...result, values: [...commands, ...values] };
}

/** Commands by name; an alias only if no name matches. */
function listCommands(command: Command, typed: string): Candidate[] {
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

/** Options that are unused or repeatable; by short name if a short name is typed. */
function listOptions({ command, usedOptions }: Position, typed: string): Candidate[] {
  const left = command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => !usedOptions.has(optionName(option)) || isRepeatable(option));
  return left.map((option) => ({ value: spellOption(option, typed), text: option.description }));
}

function spellOption(option: Option, typed: string): string {
  return option.short === typed ? typed : optionName(option);
}

/** Selects values from a list of the server, with search for long lists. */
import type { Context } from '../context.ts';
import { escapeControls } from '../io/control-characters.ts';
import { type PromptOptions, prompt } from '../io/prompt.ts';
import type { Choice, ChoiceSource, Validator } from '../io/prompter.ts';
import { createErrorReport } from '../output/error-report.ts';
import { type ChoiceList, type ChoicePage, maxLoaded } from './choice-lists.ts';

export interface SelectOptions {
  readonly context: Context;
  readonly promptOptions: PromptOptions;
  readonly message: string;
  readonly list: ChoiceList;
  readonly validate: Validator;
}

/** Milliseconds without a keystroke before the term is searched on the server. */
const searchDelayMs = 200;
/** Lists up to this length use checkboxes; longer ones repeat a search prompt. */
const maxCheckboxChoices = 50;

/** Visible lines of a list. */
export const pageSize = 12;

/** Selects one value; undefined if the list is empty or the caller may not read it. */
export async function selectOne(selectOptions: SelectOptions): Promise<string | undefined> {
  const first = await loadFirstPage(selectOptions);
  if (!first) return undefined;
  return promptSearch(selectOptions, first, []);
}

/** Selects one or more values; undefined if the list is empty or the caller may not read it. */
export async function selectMany(selectOptions: SelectOptions): Promise<string[] | undefined> {
  const { promptOptions, message } = selectOptions;
  const first = await loadFirstPage(selectOptions);
  if (!first) return undefined;
  if (!first.more && first.choices.length <= maxCheckboxChoices) {
    const choices = fitToWidth(first.choices, selectOptions);
    return (await prompt(promptOptions, { type: 'checkbox', message, choices, required: true, pageSize })) as string[];
  }
  const chosen = [await promptSearch(selectOptions, first, [])];
  for (;;) {
    const next = await promptSearch(selectOptions, first, chosen);
    if (next === '') return chosen.flatMap((value) => value.split(','));
    chosen.push(next);
  }
}

/** What is added to a list and removed from it. */
export interface ListEdit {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Selects what to add to a list and remove from it, one by one: an entry of the list is removed, another one is added. */
export async function selectListEdit(selectOptions: SelectOptions, current: readonly string[]): Promise<ListEdit> {
  const { promptOptions, message, list } = selectOptions;
  const { choices, more } = (await loadFirstPage(selectOptions)) ?? { choices: [], more: false };
  const listed = current.map((value) => choices.find((choice) => choice.value === value) ?? toPlainChoice(value));
  const all = [...listed, ...choices.filter(({ value }) => !current.includes(value))];
  const selected = new Set(current);
  for (;;) {
    const add = [...selected].filter((value) => !current.includes(value));
    const remove = current.filter((value) => !selected.has(value));
    const mark = (choice: Choice) => markChange(choice, current, selected);
    const marked = {
      ...list,
      load: async (term: string | undefined, signal: AbortSignal) => {
        const page = await list.load(term, signal);
        return { ...page, choices: page.choices.map(mark) };
      },
    };
    const typed = add.filter((value) => all.every((choice) => choice.value !== value)).map(toPlainChoice);
    const first = { choices: [...typed, ...all].map(mark), more };
    const { source, validate } = createSearch({ ...selectOptions, list: marked }, first, [], true);
    const nameOf = (value: string) => all.find((choice) => choice.value === value)?.name ?? value;
    const changes = [...add.map((value) => `+ ${nameOf(value)}`), ...remove.map((value) => `- ${nameOf(value)}`)];
    const title = changes.length === 0 ? message : `${escapeControls(changes.join(', '))}; next:`;
    const question = { type: 'search', message: title, source, validate, pageSize, hasMore: more } as const;
    const answer = String(await prompt(promptOptions, question));
    if (answer === '') return { add, remove };
    for (const value of answer.split(',').map((part) => part.trim())) if (!selected.delete(value)) selected.add(value);
  }
}

function toPlainChoice(value: string): Choice {
  return { value, name: escapeControls(value) };
}

function markChange(choice: Choice, current: readonly string[], selected: ReadonlySet<string>): Choice {
  const [isListed, isSelected] = [current.includes(choice.value), selected.has(choice.value)];
  if (!isListed && !isSelected) return choice;
  const mark = isListed ? (isSelected ? 'now' : 'to be removed') : 'to be added';
  return { ...choice, name: `${choice.name}  (${mark})`, short: choice.short ?? choice.name };
}

/** Loads the first choices. If there are none, prints the reason, because a text prompt follows. */
async function loadFirstPage({
  list,
  context: { io, manifest, notice },
}: SelectOptions): Promise<ChoicePage | undefined> {
  try {
    const found = await list.load(undefined, io.signal);
    if (found.choices.length > 0 || list.isTyped) return found;
    notice('Cannot list choices: the list is empty.');
  } catch (error) {
    if (io.signal.aborted) throw error;
    notice(`Cannot list choices: ${createErrorReport(error, manifest).message}`);
  }
  return undefined;
}

async function promptSearch(
  selectOptions: SelectOptions,
  first: ChoicePage,
  chosen: readonly string[],
): Promise<string> {
  const { promptOptions, message } = selectOptions;
  const { source, validate } = createSearch(selectOptions, first, chosen);
  const title = chosen.length === 0 ? message : `${chosen.length} selected; next:`;
  const search = { source, validate, pageSize, hasMore: first.more };
  return String(await prompt(promptOptions, { type: 'search', message: title, ...search }));
}

/**
 * Finds choices for a term: among the loaded entries, and on the server if more exist.
 * The term itself is also a choice, because the list may be incomplete.
 */
export function createSearch(
  selectOptions: SelectOptions,
  first: ChoicePage,
  chosen: readonly string[],
  canEnd = chosen.length > 0,
): { readonly source: ChoiceSource; readonly validate: (value: string) => Promise<true | string> } {
  const end: readonly Choice[] = canEnd ? [{ value: '', name: '(done)' }] : [];
  let current: readonly Choice[] = [];
  const source: ChoiceSource = async (typed, { signal }) => {
    const term = typed?.trim() ?? '';
    current = [];
    const found = (await findMatches(selectOptions, first, term, signal)).filter(
      ({ value }) => !chosen.includes(value),
    );
    if (signal.aborted) return [];
    current = fitToWidth(
      [
        ...(term === '' ? end : []),
        ...found,
        ...toTypedChoice(selectOptions, term, [...found.map(({ value }) => value), ...chosen]),
      ],
      selectOptions,
    );
    return current;
  };
  // Enter before the new list is loaded would select from the old one.
  const validate = async (value: string) =>
    current.some((choice) => choice.value === value) || 'The list was still loading. Press Enter again.';
  return { source, validate };
}

async function findMatches(
  { list, context: { environment } }: SelectOptions,
  first: ChoicePage,
  term: string,
  signal: AbortSignal,
): Promise<readonly Choice[]> {
  const lower = term.toLowerCase();
  const [prefixed, containing] = [0, 1].map((index) =>
    first.choices.filter(({ name }) => Math.min(1, name.toLowerCase().indexOf(lower)) === index),
  );
  const near = [...(prefixed ?? []), ...(containing ?? [])];
  if (term === '' || !first.more || !list.canSearch) return near;
  await environment.pause?.(searchDelayMs, signal);
  if (signal.aborted) return [];
  const { choices } = await list.load(term, signal).catch((): ChoicePage => ({ choices: [], more: false }));
  const loaded = new Set(near.map(({ value }) => value));
  return [...near, ...choices.slice(0, maxLoaded).filter(({ value }) => !loaded.has(value))];
}

function toTypedChoice({ validate }: SelectOptions, term: string, known: readonly string[]): Choice[] {
  return known.includes(term) || validate(term) !== true
    ? []
    : [{ value: term, name: `${term}  (as typed)`, short: term }];
}

/** Truncates names to the terminal width, so that lines do not wrap. */
function fitToWidth(choices: readonly Choice[], { context: { io } }: SelectOptions): Choice[] {
  // A terminal of unknown width reports 0.
  const width = (io.stderr.columns || 80) - 4;
  return choices.map((choice) =>
    choice.name.length <= width
      ? choice
      : { ...choice, short: choice.short ?? choice.name, name: `${choice.name.slice(0, width - 2)}..` },
  );
}

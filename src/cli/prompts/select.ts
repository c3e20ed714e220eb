/** Picking from a list of the server: found by typing, however long the list is. */
import type { Context } from '../runtime/context.ts';
import { createErrorReport } from '../runtime/error-report.ts';
import { type PromptOptions, prompt } from '../runtime/prompt.ts';
import type { Choice, ChoiceSource, Validator } from '../runtime/prompter.ts';
import { type ChoiceList, type ChoicePage, maxLoaded } from './choice-lists.ts';

export interface SelectOptions {
  readonly context: Context;
  readonly promptOptions: PromptOptions;
  readonly message: string;
  readonly list: ChoiceList;
  readonly validate: Validator;
}

/** Milliseconds without a key after which the server is asked for what was typed. */
const searchDelayMs = 200;
/** A list up to this long is ticked off; a longer one is searched again and again. */
const maxCheckboxChoices = 50;

/** Lines of a list that are shown at a time. */
export const pageSize = 12;

/** One value; nothing where there is no list to pick from, because the caller may not see it or it is empty. */
export async function selectOne(selectOptions: SelectOptions): Promise<string | undefined> {
  const first = await loadFirstPage(selectOptions);
  if (!first) return undefined;
  return promptSearch(selectOptions, first, []);
}

/** One or more values; nothing where there is no list to pick from. */
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

/** The first of the list; where there are none, a word of why, since the question then is for a text. */
async function loadFirstPage({
  list,
  context: { io, manifest, notice },
}: SelectOptions): Promise<ChoicePage | undefined> {
  try {
    const found = await list.load(undefined, io.signal);
    if (found.choices.length > 0) return found;
    notice('There is nothing to pick from: the list is empty.');
  } catch (error) {
    if (io.signal.aborted) throw error;
    notice(`There is no list to pick from: ${createErrorReport(error, manifest).message}`);
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
  const title = chosen.length === 0 ? message : `${chosen.length} chosen; another:`;
  return String(await prompt(promptOptions, { type: 'search', message: title, source, validate, pageSize }));
}

/**
 * What fits a term: of the first entries at once, and where that is nothing and there are more, what the server finds.
 * The term itself is offered as well, since not everything may be listed.
 */
export function createSearch(
  selectOptions: SelectOptions,
  first: ChoicePage,
  chosen: readonly string[],
): { readonly source: ChoiceSource; readonly validate: (value: string) => Promise<true | string> } {
  const end: readonly Choice[] = chosen.length === 0 ? [] : [{ value: '', name: '(no more)' }];
  let shown: readonly Choice[] = [];
  const source: ChoiceSource = async (typed, { signal }) => {
    const term = typed?.trim() ?? '';
    shown = [];
    const found = (await findMatches(selectOptions, first, term, signal)).filter(
      ({ value }) => !chosen.includes(value),
    );
    if (signal.aborted) return [];
    shown = fitToWidth(
      [
        ...(term === '' ? end : []),
        ...found,
        ...toTypedChoice(selectOptions, term, [...found.map(({ value }) => value), ...chosen]),
      ],
      selectOptions,
    );
    return shown;
  };
  // Enter in the moment before a new list is there would take of the old one.
  const validate = async (value: string) =>
    shown.some((choice) => choice.value === value) || 'The list was still loading; press Enter again.';
  return { source, validate };
}

async function findMatches(
  { list, context: { environment } }: SelectOptions,
  first: ChoicePage,
  term: string,
  signal: AbortSignal,
): Promise<readonly Choice[]> {
  const lower = term.toLowerCase();
  const [starting, holding] = [0, 1].map((least) =>
    first.choices.filter(({ name }) => Math.min(1, name.toLowerCase().indexOf(lower)) === least),
  );
  const near = [...(starting ?? []), ...(holding ?? [])];
  if (near.length > 0 || !first.more || !list.canSearch) return near;
  await environment.pause?.(searchDelayMs, signal);
  if (signal.aborted) return [];
  const { choices } = await list.load(term, signal).catch((): ChoicePage => ({ choices: [], more: false }));
  return choices.slice(0, maxLoaded);
}

function toTypedChoice({ validate }: SelectOptions, term: string, known: readonly string[]): Choice[] {
  return known.includes(term) || validate(term) !== true
    ? []
    : [{ value: term, name: `${term}  (as typed)`, short: term }];
}

/** Cut to the width of the terminal: a list of wrapped lines can't be read. */
function fitToWidth(choices: readonly Choice[], { context: { io } }: SelectOptions): Choice[] {
  // A terminal that does not know its width says 0.
  const width = (io.stderr.columns || 80) - 4;
  return choices.map((choice) =>
    choice.name.length <= width
      ? choice
      : { ...choice, short: choice.short ?? choice.name, name: `${choice.name.slice(0, width - 2)}..` },
  );
}

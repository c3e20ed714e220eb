import { expect, test } from 'vitest';
import type { ChoiceList } from '../../../src/cli/prompts/choice-lists.ts';
import { createSearch, type SelectOptions, selectListEdit, selectMany } from '../../../src/cli/prompts/select.ts';
import { createScriptedPrompter, searchChoices } from './scripted-prompter.ts';

const neverAborted = new AbortController().signal;
const names = Array.from({ length: 200 }, (_, at) => `u${at}`);
const first = { choices: names.map((name) => ({ value: name, name })), more: true };

/** A list of a hundred thousand, of which the server returns a few; the test ends each wait. */
function longList() {
  const loaded: (string | undefined)[] = [];
  const waits: { readonly milliseconds: number; readonly end: () => void }[] = [];
  const list: ChoiceList = {
    canSearch: true,
    load: async (term) => {
      loaded.push(term);
      return term === undefined
        ? first
        : { choices: [{ value: `id-${term}`, name: `id-${term}  ${term}` }], more: false };
    },
  };
  const pause = (milliseconds: number) => new Promise<void>((end) => void waits.push({ milliseconds, end }));
  const context = { environment: { pause }, io: { stderr: { columns: 80 }, signal: neverAborted } };
  const selectOptions = (prompter?: unknown) =>
    ({
      context,
      promptOptions: { io: { prompter } },
      message: 'User id:',
      list,
      validate: () => true,
    }) as unknown as SelectOptions;
  return { loaded, waits, selectOptions };
}

test('a term is also searched on the server, after a pause in typing', async () => {
  const { loaded, waits, selectOptions } = longList();
  const { source } = createSearch(selectOptions(), first, []);
  const local = source('u19', { signal: neverAborted });
  waits.pop()?.end();
  const values = (await local).map(({ value }) => value);
  expect(values.slice(0, 2)).toEqual(['u19', 'u190']);
  expect(values.at(-1)).toBe('id-u19');
  const typing = new AbortController();
  const half = source('zo', { signal: typing.signal });
  typing.abort();
  const whole = source('zoe', { signal: neverAborted });
  for (const { milliseconds, end } of waits) {
    expect(milliseconds).toBeGreaterThanOrEqual(100);
    end();
  }
  expect(await half).toEqual([]);
  expect((await whole).map(({ value }) => value)).toEqual(['id-zoe', 'zoe']);
  expect(loaded).toEqual(['u19', 'zoe']);
});

test('Enter does not select from the list of an earlier term', async () => {
  const { waits, selectOptions } = longList();
  const { source, validate } = createSearch(selectOptions(), first, []);
  await source(undefined, { signal: neverAborted });
  expect(await validate('u0')).toBe(true);
  const later = source('zoe', { signal: neverAborted });
  expect(await validate('u0')).toContain('still loading');
  waits[0]?.end();
  await later;
  expect(await validate('u0')).toContain('still loading');
  expect(await validate('id-zoe')).toBe(true);
});

test('several values of a long list are selected one by one, without duplicates', async () => {
  const { selectOptions, waits } = longList();
  const { prompter, questions } = createScriptedPrompter('u1', 'u2', '');
  expect(await selectMany(selectOptions(prompter))).toEqual(['u1', 'u2']);
  expect(questions.map(({ message }) => message)).toEqual(['User id:', '1 selected; next:', '2 selected; next:']);
  expect((await searchChoices(questions[2])).slice(0, 2).map(({ value }) => value)).toEqual(['', 'u0']);
  const further = searchChoices(questions[2], 'u1');
  waits.pop()?.end();
  expect((await further).map(({ value }) => value)).not.toContain('u1');
});

test('changes of a list are selected one by one: what it has is removed, anything else is added', async () => {
  const { selectOptions, waits } = longList();
  const { prompter, questions } = createScriptedPrompter('own', 'u7', 'zoe', 'u7', '');
  expect(await selectListEdit(selectOptions(prompter), ['own', 'u1'])).toEqual({ add: ['zoe'], remove: ['own'] });
  expect(questions.map(({ message }) => message).slice(0, 3)).toEqual([
    'User id:',
    '- own; next:',
    '+ u7, - own; next:',
  ]);
  const shown = async (at: number) => (await searchChoices(questions[at])).map(({ name }) => name);
  expect((await shown(0)).slice(0, 4)).toEqual(['(done)', 'own  (now)', 'u1  (now)', 'u0']);
  expect((await shown(4)).slice(0, 4)).toEqual(['(done)', 'zoe  (to be added)', 'own  (to be removed)', 'u1  (now)']);
  const further = searchChoices(questions[0], 'zo');
  waits.pop()?.end();
  expect((await further).map(({ value }) => value)).toContain('id-zo');
});

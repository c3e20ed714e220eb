/** Lists of choices for a value, by the entity that the value refers to. */
import type { ResultPage } from '../../client/types.ts';
import type { Context } from '../context.ts';
import { escapeControls } from '../io/control-characters.ts';
import type { Choice } from '../io/prompter.ts';
import { namedByProperty, nameKey } from '../output/name-columns.ts';
import { readEntityPage } from '../request/entity-rows.ts';
import { localSourceOf, type ReferencedRows, rowsOf, textsAt, type ValueSource } from './value-sources.ts';

/** Values by name on the command line: `group`, `user-id`. */
export type KnownValues = Readonly<Record<string, string>>;

export interface ChoicePage {
  readonly choices: readonly Choice[];
  /** Whether more choices exist. */
  readonly more: boolean;
}

export interface ChoiceList {
  /** Returns the choices that match a term, or the first ones without a term. */
  load(term: string | undefined, signal: AbortSignal): Promise<ChoicePage>;
  /** Whether the server can search by a term. */
  readonly canSearch: boolean;
  /** It has no values of the server: others are typed. */
  readonly isTyped?: true;
}

/** A list of fixed values, or of none. */
export function toTypedList(choices: readonly Choice[]): ChoiceList {
  return { load: async () => ({ choices, more: false }), canSearch: false, isTyped: true };
}

/** The value that a list is for. */
export interface ValueContext {
  readonly sources: readonly ValueSource[];
  readonly known: KnownValues;
}

type Row = Readonly<Record<string, unknown>>;

/** The max number of choices loaded per request. */
export const maxLoaded = 200;

/** Finds the list of a value; undefined if it has none. */
export function findChoiceList(context: Context, { sources, known }: ValueContext): ChoiceList | undefined {
  const [source] = sources;
  if (source === undefined) return undefined;
  if (typeof source === 'string') return ofLocal(context, localSourceOf(source));
  return ofRows(context, rowsOf(source, context.manifest), Object.values(known));
}

/** Rows of the server. The preceding values are the parameters of the list. */
function ofRows(context: Context, rows: ReferencedRows, before: readonly string[]): ChoiceList {
  const { source, parameters } = rows;
  const { filter } = source;
  const params = before.slice(0, parameters);
  return {
    canSearch: filter !== undefined,
    load: async (term, signal) => {
      const narrowed = filter === undefined || term === undefined ? {} : { [filter]: term };
      const query = { limit: maxLoaded, ...narrowed };
      const { items, next } = await readEntityPage(context, { source, params, query, signal });
      const named = await addChoiceNames(context, items as readonly Row[], rows);
      const { choices, more } = toChoicePage({ items: named, next }, rows);
      return { choices: choices.map((choice) => ({ ...choice, value: rows.toValue(choice.value) })), more };
    },
  };
}

/** Adds the names of rows with nothing but an id, and replaces the ids of other entities by names. */
async function addChoiceNames(
  { findNames }: Pick<Context, 'findNames'>,
  items: readonly Row[],
  { property, entity, entityName }: ReferencedRows,
): Promise<readonly Row[]> {
  const { nameColumn } = entity;
  const others = entity.shown.filter((name) => name !== property);
  const isOwn = nameColumn !== undefined && property === entity.properties.id;
  const lacksName = (row: Row) => isOwn && others.every((name) => row[name] === undefined);
  const referring = others.flatMap((name) => {
    const kind = namedByProperty.get(name);
    return kind === undefined || kind === entityName ? [] : [{ name, kind }];
  });
  const ids = items.flatMap((row) => [
    ...(lacksName(row) ? [row[property]] : []),
    ...referring.map(({ name }) => row[name]),
  ]);
  const texts = ids.filter((id) => typeof id === 'string');
  if (texts.length === 0) return items;
  const names = await findNames(texts);
  return items.map((row) => ({
    ...row,
    ...Object.fromEntries(
      referring.map(({ name, kind }) => [name, names.get(nameKey(kind, String(row[name]))) ?? row[name]]),
    ),
    ...(lacksName(row) ? { [String(nameColumn)]: names.get(nameKey(entityName, String(row[property]))) } : {}),
  }));
}

function ofLocal(context: Context, source: ReturnType<typeof localSourceOf>): ChoiceList {
  return {
    canSearch: false,
    load: async () => {
      const values = await source.list(context);
      const choices = values.map(({ value, text }) => toChoice(source.isTextPrompted ? [value, text] : [value]));
      return { choices, more: false };
    },
  };
}

/** A choice per row: the value and its description. Skips rows without the value. Values within lists are sorted, without description. */
function toChoicePage({ items, next }: ResultPage<unknown>, { property, entity }: ReferencedRows): ChoicePage {
  const more = next !== undefined;
  // The id of a customer is a number.
  const rows = (items as readonly Row[]).map((row) =>
    typeof row[property] === 'number' ? { ...row, [property]: String(row[property]) } : row,
  );
  const isPlain = rows.every((row) => typeof row[property] === 'string' || row[property] === undefined);
  if (!isPlain || property.includes('.')) {
    const values = new Set(rows.flatMap((row) => textsAt(row, property)));
    return { choices: [...values].sort().map((value) => toChoice([value])), more };
  }
  const others = [...new Set([...entity.shown, entity.nameColumn ?? property])].filter((name) => name !== property);
  const choices = rows
    .filter((row) => typeof row[property] === 'string')
    .map((row) => {
      const rest = others.map((name) => row[name]);
      return property === entity.properties.id
        ? toNamedChoice(row[property], rest)
        : toChoice([row[property], ...rest]);
    });
  return { choices, more };
}

/** Displays an id after the name: `anna  x@y  (u1)`. */
function toNamedChoice(value: unknown, others: readonly unknown[]): Choice {
  const { name } = toChoice(others);
  return {
    value: String(value),
    name: name === '' ? escapeControls(String(value)) : `${name}  (${escapeControls(String(value))})`,
  };
}

function toChoice([value, ...others]: readonly unknown[]): Choice {
  const parts = [value, ...others].filter((part) => part !== undefined && part !== null && part !== '');
  const texts = new Set(parts.map((part) => escapeControls(String(part))));
  return { value: String(value), name: [...texts].join('  ') };
}

/**
 * Resolves names to ids: the service identifies users, clients, businesses, customers and API keys by id only. Only names
 * that a stranger cannot take are resolved: names that administrators give, verified e-mail addresses, service account ids
 * and the applications of first-party clients. A value that is the id of one entity and the name of another is an error, unless
 * `id:` or `name:` decides. A value that matches nothing is sent unchanged, so that the server decides.
 */
import { ClientError, NetworkError } from '../../client/errors.ts';
import { type EntityName, entityOf, type Reference } from '../../contract/entities.ts';
import type { JsonSchema, ManifestOperation } from '../../contract/manifest-types.ts';
import type { Context, RequestContext } from '../context.ts';
import { CliError, type CliErrorOptions } from '../errors.ts';
import { canPrompt, prompt } from '../io/prompt.ts';
import { type FindNames, formatNamedId, nameKey, withReferredNames } from '../output/name-columns.ts';
import { isName, listIds, lookups, type NameLookup } from '../output/name-lookups.ts';
import { createTableFormatter } from '../output/table.ts';
import { isAssignedId, isNameLikeId, parseTypedValue } from '../output/value-prefix.ts';
import { callControlPlane } from './control-plane.ts';
import { readEntityPage } from './entity-rows.ts';
import { getOperation } from './find-operation.ts';
import { listReferences } from './request-spec.ts';
import { send } from './send.ts';

type Row = Readonly<Record<string, unknown>>;

/** The most entities with one name that are requested and listed. */
export const maxCandidates = 20;
/** Lookups at the same time. */
export const maxConcurrentLookups = 16;

/** The values of a request, which are replaced in place. */
export interface ResolvableRequest {
  readonly params: Record<string, string>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
}

/** An id in a request, and the entity that it refers to. */
export interface ReferencedId {
  readonly entity: EntityName;
  readonly id: string;
}

/** The rows of a list that was read before, for a value that is an id or a name; undefined if the server must be asked. */
export type FindListed = (value: string, isOnlyName: boolean) => readonly Row[] | undefined;

/** With the prompts of a command, a name of several entities is a choice at a terminal. */
type ResolverContext = RequestContext & Partial<Pick<Context, 'promptOptions' | 'findNames'>>;

/** Resolves the names of one command; looks up each distinct value once. */
export class NameResolver {
  readonly #context: ResolverContext;
  readonly #found = new Map<string, Promise<string>>();
  readonly #names = new Map<string, string>();
  readonly #lists = new Map<EntityName, FindListed>();
  /** A preview needs no server: values that cannot be looked up stay as they are. */
  readonly #isPreview: boolean;
  #isUnavailable = false;
  /** Names are looked up at the same time, and asked for one by one. */
  #asked: Promise<unknown> = Promise.resolve();
  readonly #asks: boolean;

  /** @param asks whether a name of several entities is a choice at a terminal: not for the rows of a file, and in no preview */
  constructor(context: ResolverContext, isPreview = false, asks = !isPreview) {
    this.#context = context;
    this.#isPreview = isPreview;
    this.#asks = asks;
  }

  /** Decides values by a whole list that was read before, in place of lookups. */
  useList(entity: EntityName, find: FindListed): void {
    this.#lists.set(entity, find);
  }

  /** Replaces the names in a request of an operation. @throws CliError (exit 2) for an ambiguous name */
  async resolveRequest(operation: ManifestOperation, { params, query, body }: ResolvableRequest): Promise<void> {
    const values = listReferences(operation, { params, query, body });
    for (let at = 0; at < values.length; at += maxConcurrentLookups)
      await Promise.all(
        values.slice(at, at + maxConcurrentLookups).map(async ({ reference, value, replace }) => {
          replace(await this.resolve(reference, value));
        }),
      );
  }

  /** Returns the id for a value. @throws CliError (exit 2) if it is ambiguous, or a name that any caller can choose */
  async resolve(reference: Pick<Reference, 'entity' | 'by'>, typed: string): Promise<string> {
    const { entity, by } = reference;
    const lookup = lookups[entity];
    const ids = listIds(entity, by);
    if (!lookup || typed === '' || ids.every((id) => isName(entity, id))) return typed;
    const key = JSON.stringify([ids, typed]);
    const found = this.#found.get(key) ?? this.#resolveOnce({ entity, lookup, ids }, typed);
    this.#found.set(key, found);
    const id = await found;
    // An answer of a prompt or a second pass contains the id.
    this.#found.set(JSON.stringify([ids, id]), found);
    const { value } = parseTypedValue(typed);
    if (id !== value) this.#names.set(id, value);
    return id;
  }

  /** Resolves the values of one parameter. @throws CliError (exit 2) for an ambiguous name */
  async resolveAll(schema: JsonSchema | undefined, values: readonly string[]): Promise<readonly string[]> {
    const reference = schema?.['x-reference'];
    if (!reference) return values;
    const resolved: string[] = [];
    for (const value of values) resolved.push(await this.resolve(reference, value));
    return [...new Set(resolved)];
  }

  async resolveOptional(reference: { readonly 'x-reference': Reference }, value: unknown): Promise<string | undefined> {
    return value === undefined ? undefined : this.resolve(reference['x-reference'], String(value));
  }

  /** The id and the name that it was resolved from: `64b0c0ffee00000000000001 (alice)`. */
  format(id: string): string {
    return formatNamedId(id, this.#names.get(id));
  }

  /** Reads the names of ids that were not resolved from names, so that `format` shows them. */
  async readNames(values: readonly ReferencedId[], find: FindNames): Promise<void> {
    const unnamed = values.filter(
      ({ entity, id }) => entityOf(entity).nameColumn !== undefined && !this.#names.has(id),
    );
    if (unnamed.length === 0) return;
    const names = await find(unnamed.map(({ id }) => id));
    for (const { entity, id } of unnamed) {
      const name = names.get(nameKey(entity, id));
      if (name !== undefined) this.#names.set(id, name);
    }
  }

  /** Prints each resolved name, for a preview that contains ids only. */
  printResolved(): void {
    for (const [id, name] of this.#names) this.#context.notice(`${name} is ${id}.`);
  }

  async #resolveOnce(target: LookupTarget, typed: string): Promise<string> {
    const { kind, value } = parseTypedValue(typed);
    const isAssigned = target.lookup.hasOtherIds !== true && isAssignedId(value) && kind !== 'name';
    if (kind === 'id' && target.lookup.isResolvedByServer && !this.#isPreview) await this.#assertIsId(target, value);
    if (kind === 'id' || isAssigned) return value;
    if (target.lookup.isResolvedByServer && kind === undefined) return value;
    const search: NameSearch = { ...target, value, isName: kind === 'name' };
    const matches = await this.#findMatches(search);
    return matches === undefined ? value : selectId(search, matches, (choices) => this.#choose(search, choices));
  }

  /** The service takes the id of none for a name. @throws CliError (exit 3) if it is one */
  async #assertIsId({ entity, lookup, ids }: LookupTarget, value: string): Promise<void> {
    const row = await this.#readById(lookup, value);
    if (
      row === undefined ||
      idOf(
        row,
        ids.filter((id) => !isName(entity, id)),
      ) === value
    )
      return;
    throw new AmbiguousNameError(`None of the ${lookup.noun} has the id ${JSON.stringify(value)}`, {
      code: 'NAME_NOT_FOUND',
      exitCode: 3,
      hint: `One has it as its name: write name:${value}.`,
    });
  }

  /** Asks which entity a name means. @throws CliError (exit 2) in non-interactive mode */
  #choose(search: NameSearch, { rows, isId }: AmbiguousRows): Promise<string> {
    const { findNames } = this.#context;
    const choice = this.#asked.then(async () => {
      const promptOptions = this.#asks ? this.#context.promptOptions?.(false) : undefined;
      if (!promptOptions || !canPrompt(promptOptions)) throw await ambiguousNameError(search, rows, isId, findNames);
      const [header = '', ...lines] = await listRows(search.entity, rows, findNames);
      const accepted = idsOf(search);
      const choices = rows.map((row, at) => ({ value: idOf(row, accepted), name: (lines[at] ?? '').trim() }));
      const message = `${rows.length} ${search.lookup.noun} match ${JSON.stringify(search.value)}:`;
      return String(await prompt(promptOptions, { type: 'select', message, choices, header: header.trim() }));
    });
    this.#asked = choice;
    return choice;
  }

  /** Undefined if the value cannot be looked up. */
  async #findMatches(search: NameSearch): Promise<Matches | undefined> {
    const { entity, lookup, value, isName: isOnlyName } = search;
    if ('control' in entityOf(entity).list && this.#isUnavailable) return this.#rejectUnknown(search);
    try {
      const known = this.#lists.get(entity)?.(value, isOnlyName);
      const rows = known ?? (await this.#findRows(entity, lookup, value));
      const named = selectNamed(rows, search);
      if (isOnlyName) return { ...named, withId: undefined };
      const listed = rows.find((row) => search.ids.some((id) => String(row[id]) === value));
      // A user id in another form is a login name, so that no other user can have it as a name.
      const isOpen = !known && (entity === 'user' ? isNameLikeId(entity, value) : named.own.length > 0);
      return { ...named, withId: listed ?? (isOpen ? await this.#readById(lookup, value) : undefined) };
    } catch (error) {
      const isLost = this.#isPreview && error instanceof NetworkError;
      if (!isLost && !isLookupRejected(error)) throw error;
      this.#isUnavailable ||= !(error instanceof ClientError);
      return this.#rejectUnknown(search);
    }
  }

  /** Only a preview contains a value that can be the id of a stranger in place of the name that it looks like. */
  #rejectUnknown(search: NameSearch): undefined {
    if (this.#isPreview || !(search.isName || isNameLikeId(search.entity, search.value))) return undefined;
    throw unknownNameError(search);
  }

  async #findRows(entity: EntityName, { filters }: NameLookup, value: string): Promise<readonly Row[]> {
    const { list } = entityOf(entity);
    const rows: Row[] = [];
    for (const filter of filters ?? [list.filter ?? '']) {
      const { name, owner } = typeof filter === 'string' ? { name: filter, owner: undefined } : filter;
      const owners = owner === undefined ? [] : await this.#findOwners(owner, value);
      for (const sought of new Set([value, ...owners])) {
        const query = { [name]: sought, limit: maxCandidates };
        const { signal } = this.#context.io;
        const { items } = await readEntityPage(this.#context, { source: list, params: [], query, signal });
        rows.push(...(items as readonly Row[]));
      }
    }
    return rows;
  }

  /** The ids of the owners that have this name. */
  async #findOwners(entity: EntityName, value: string): Promise<readonly string[]> {
    const lookup = lookups[entity];
    if (!lookup) return [];
    const ids = listIds(entity, ['id']);
    const rows = await this.#findRows(entity, lookup, value);
    return selectNamed(rows, { entity, lookup, ids, value, isName: false }).own.map((row) => idOf(row, ids));
  }

  async #readById({ read }: NameLookup, id: string): Promise<Row | undefined> {
    if (read === undefined) return undefined;
    try {
      if (typeof read === 'string')
        return (await callControlPlane(this.#context, 'GET', read + encodeURIComponent(id))).body as Row;
      const operation = getOperation(this.#context.manifest, read.operation);
      const params = Object.fromEntries(operation.params.map(({ name }) => [name, id]));
      return (await send(this.#context, operation, { params })).body as Row;
    } catch (error) {
      if (isLookupRejected(error)) return undefined;
      throw error;
    }
  }
}

interface LookupTarget {
  readonly entity: EntityName;
  readonly lookup: NameLookup;
  /** The row properties that contain the ids which the request accepts. */
  readonly ids: readonly string[];
}

interface NameSearch extends LookupTarget {
  readonly value: string;
  /** Whether the value is no id. */
  readonly isName: boolean;
}

interface Matches {
  /** The entity with the value as its id. */
  readonly withId: Row | undefined;
  /** The entities with the value as a name that a stranger cannot take. */
  readonly own: readonly Row[];
  /** The entities with the value as a name that any caller can choose. */
  readonly foreign: readonly Row[];
}

/** Whether the caller may not look up names, or the server cannot. The request itself then reports what is wrong. */
export function isLookupRejected(error: unknown): boolean {
  if (error instanceof ClientError) return error.status < 500 && error.status !== 429;
  return error instanceof CliError;
}

/** The rows that a value names, if they have an id that the request accepts. */
function selectNamed(rows: readonly Row[], search: NameSearch): Omit<Matches, 'withId'> {
  const { entity, lookup, ids, value, isName: isOnlyName } = search;
  const { names, foreign } = lookup;
  const isForeign = (row: Row) => foreign?.isForeign(row, value) ?? false;
  const accepted = idsOf(search);
  const usable = rows.filter((row) => idOf(row, accepted) !== '');
  if (!names) return { own: usable.filter((row) => !isForeign(row)), foreign: usable.filter(isForeign) };
  const nameProperties = isOnlyName ? names.filter((name) => !ids.includes(name) || isName(entity, name)) : names;
  const { application } = entityOf(entity).properties;
  const permanent = nameProperties.filter((name) => name !== application);
  const isNamedBy = (row: Row, properties: readonly string[]) => properties.some((name) => row[name] === value);
  const own = usable.filter((row) => isNamedBy(row, isForeign(row) ? permanent : nameProperties));
  return { own, foreign: usable.filter((row) => !own.includes(row) && isNamedBy(row, nameProperties)) };
}

/** The entities that a name means, and whether it is the id of the first one. */
interface AmbiguousRows {
  readonly rows: readonly Row[];
  readonly isId: boolean;
}

/**
 * The id of the only entity that the value can mean; the value itself if there is none.
 * @param choose returns one of several
 * @throws CliError (exit 2 or 3)
 */
async function selectId(
  search: NameSearch,
  { withId, own, foreign }: Matches,
  choose: (ambiguous: AmbiguousRows) => Promise<string>,
): Promise<string> {
  const { entity, value } = search;
  const accepted = idsOf(search);
  const rows = new Map([...(withId ? [withId] : []), ...own].map((row) => [idOf(row, accepted), row]));
  const [only, ...others] = rows.keys();
  if (others.length > 0) return choose({ rows: [...rows.values()], isId: withId !== undefined });
  if (withId && own.length === 0 && isNameLikeId(entity, value)) throw await nameLikeIdError(search, withId);
  if (only !== undefined) return withId ? value : only;
  if (foreign.length > 0) throw await foreignNameError(search, foreign);
  if (search.isName) throw unknownNameError(search);
  return value;
}

/** For entities that the service finds by name too, only the id is unambiguous. */
function idsOf({ entity, ids, lookup }: LookupTarget): readonly string[] {
  return lookup.isResolvedByServer ? ids.filter((id) => !isName(entity, id)) : ids;
}

/** The id of a row that a request accepts; empty if it has none. */
function idOf(row: Row, ids: readonly string[]): string {
  const id = ids.find((property) => row[property] !== undefined);
  return id === undefined ? '' : String(row[id]);
}

/** A value that does not identify one entity safely (exit 2), or a name of none (exit 3). */
export class AmbiguousNameError extends CliError {
  /** What is wrong with the value, and what to write in place of it, for an error that names several values. */
  readonly problem: string;

  constructor(problem: string, options: CliErrorOptions & { readonly ids?: readonly string[] }) {
    super(`${problem}; nothing was sent.`, options);
    const ids = options.ids === undefined ? '' : ` (${options.ids.join(', ')})`;
    this.problem = `${problem}${ids}. ${options.hint ?? ''}`.trim();
  }
}

/** The rows as an indented table. */
async function listRows(entity: EntityName, rows: readonly Row[], find?: FindNames): Promise<string[]> {
  const { shown } = entityOf(entity);
  const format = createTableFormatter({ columnsOf: () => shown.filter((name) => rows.some((row) => name in row)) });
  return (await format(await withReferredNames(rows, entity, find))).map((line) => `  ${line}`);
}

async function ambiguousNameError(
  search: NameSearch,
  rows: readonly Row[],
  isId: boolean,
  find: FindNames | undefined,
): Promise<AmbiguousNameError> {
  const { entity, value } = search;
  const { noun } = search.lookup;
  const count = rows.length < maxCandidates ? String(rows.length) : `At least ${rows.length}`;
  const hint = `Write id:${value} for the first one, which has this id, or name:${value} for the one with this name.`;
  return new AmbiguousNameError(`${count} ${noun} match ${JSON.stringify(value)}`, {
    code: 'USAGE',
    exitCode: 2,
    hint: isId ? hint : 'Use the id of one of them.',
    lines: await listRows(entity, rows, find),
    ids: rows.map((row) => idOf(row, idsOf(search))),
  });
}

async function nameLikeIdError({ entity, value }: NameSearch, row: Row): Promise<AmbiguousNameError> {
  return new AmbiguousNameError(`${JSON.stringify(value)} is the id of a user, but no verified login name`, {
    code: 'USAGE',
    exitCode: 2,
    hint: `Write id:${value} if you mean this user.`,
    lines: await listRows(entity, [row]),
  });
}

async function foreignNameError(search: NameSearch, rows: readonly Row[]): Promise<AmbiguousNameError> {
  const { entity, lookup, value } = search;
  return new AmbiguousNameError(
    `${JSON.stringify(value)} is only ${lookup.foreign?.text}, which any caller can choose`,
    {
      code: 'USAGE',
      exitCode: 2,
      hint: 'Use the id of one of them.',
      lines: await listRows(entity, rows),
      ids: rows.map((row) => idOf(row, idsOf(search))),
    },
  );
}

function unknownNameError({ lookup: { noun }, value }: NameSearch): AmbiguousNameError {
  return new AmbiguousNameError(`None of the ${noun} that you may look up has the name ${JSON.stringify(value)}`, {
    code: 'NAME_NOT_FOUND',
    exitCode: 3,
    hint: `If it is an id, write id:${value}.`,
  });
}

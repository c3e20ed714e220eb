/**
 * Resolves names to ids: the service identifies users, clients, businesses, customers and API keys by id only. An id wins
 * over a name; a value that matches nothing, or that cannot be looked up, is sent unchanged, so that the server decides.
 */
import { ClientError, NetworkError } from '../../client/errors.ts';
import { type EntityName, entityOf, type Reference } from '../../contract/entities.ts';
import type { JsonSchema, ManifestOperation } from '../../contract/manifest-types.ts';
import type { RequestContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { callControlPlane } from './control-plane.ts';
import { readEntityPage } from './entity-rows.ts';

type Row = Readonly<Record<string, unknown>>;

interface NameLookup {
  /** What they are called in messages. */
  readonly noun: string;
  /** What help calls the names. */
  readonly nameText: string;
  /** The query parameters of the list that match names; by default its filter. */
  readonly filters?: readonly string[];
  /** Reads one entity by its id. Absent if the rows that match a value include the one with this id. */
  readonly path?: string;
  /** The row properties that contain names. Absent if every row of the list matches. */
  readonly names?: readonly string[];
}

const lookups: Readonly<Partial<Record<EntityName, NameLookup>>> = {
  user: { noun: 'users', nameText: 'login name', path: '/_iam/users/' },
  business: { noun: 'businesses', nameText: 'name', path: '/_iam/businesses/' },
  customer: { noun: 'customers', nameText: 'name', path: '/_iam/customers/' },
  client: {
    noun: 'clients',
    nameText: 'service account or application',
    names: ['clientId', 'serviceAccountId', 'appId'],
  },
  apiKey: {
    noun: 'API keys',
    nameText: 'application or client',
    path: '/_iam/api-keys/',
    filters: ['appId', 'clientId'],
  },
};

/** The description of a value in help, with the names that are accepted besides the id. */
export function describeNames({ description, ...schema }: JsonSchema): string | undefined {
  const { entity, by } = (schema.items?.['x-reference'] ?? schema['x-reference'] ?? {}) as Partial<Reference>;
  const lookup = entity && lookups[entity];
  if (!entity || !lookup || description === undefined || listIds(entity, by).every((id) => isName(entity, id)))
    return description;
  return `${description}, or ${lookup.nameText}`;
}

/** The row properties that contain the ids of a reference. */
function listIds(entity: EntityName, by: readonly string[] = []): readonly string[] {
  return by.flatMap((kind) => entityOf(entity).properties[kind] ?? []);
}

/** Ids that the server assigns. A value of this form is not looked up. */
const assignedId = /^[0-9a-f]{24}$/;
/** The most entities with one name that are requested and listed. */
export const maxCandidates = 20;
/** Lookups at the same time. */
const maxConcurrent = 16;

/** The values of a request, which are replaced in place. */
export interface ResolvableRequest {
  readonly params: Record<string, string>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
}

/** Resolves the names of one command; looks up each distinct value once. */
export class NameResolver {
  readonly #context: RequestContext;
  readonly #found = new Map<string, Promise<string>>();
  readonly #names = new Map<string, string>();
  /** A preview needs no server: values that cannot be looked up stay as they are. */
  readonly #isPreview: boolean;
  #isUnavailable = false;

  constructor(context: RequestContext, isPreview = false) {
    this.#context = context;
    this.#isPreview = isPreview;
  }

  /** Replaces the names in a request of an operation. @throws CliError (exit 2) for an ambiguous name */
  async resolveRequest(operation: ManifestOperation, { params, query, body }: ResolvableRequest): Promise<void> {
    const values: ReferenceValue[] = [];
    for (const { name, schema } of operation.params) collectReferences(schema, params, name, values);
    for (const { name, schema } of operation.query) collectReferences(schema, query, name, values);
    if (operation.body) collectReferences(operation.body, { body }, 'body', values);
    for (let at = 0; at < values.length; at += maxConcurrent)
      await Promise.all(
        values.slice(at, at + maxConcurrent).map(async ({ reference, value, replace }) => {
          replace(await this.resolve(reference, value));
        }),
      );
  }

  /** Returns the id for a value. @throws CliError (exit 2) if it is the name of several entities */
  async resolve(reference: Pick<Reference, 'entity' | 'by'>, value: string): Promise<string> {
    const { entity, by } = reference;
    const lookup = lookups[entity];
    const ids = listIds(entity, by);
    if (!lookup || assignedId.test(value) || value === '' || ids.every((id) => isName(entity, id))) return value;
    const key = JSON.stringify([ids, value]);
    const found = this.#found.get(key) ?? this.#lookUp(entity, lookup, ids, value);
    this.#found.set(key, found);
    const id = await found;
    this.#found.set(JSON.stringify([ids, id]), found);
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
    const name = this.#names.get(id);
    return name === undefined ? id : `${id} (${name})`;
  }

  /** Prints each resolved name, for a preview that contains ids only. */
  printResolved(): void {
    for (const [id, name] of this.#names) this.#context.notice(`${name} is ${id}.`);
  }

  async #lookUp(entity: EntityName, lookup: NameLookup, ids: readonly string[], value: string): Promise<string> {
    const matches = await this.#findMatches(entity, lookup, ids, value);
    const [only = value, ...others] = new Set(matches.map((row) => idOf(row, ids)));
    if (others.length === 0) return only;
    throw ambiguousNameError(entity, lookup, matches, value);
  }

  /** The entities with a name; none if the value is an id, or if the caller cannot look it up. */
  async #findMatches(
    entity: EntityName,
    lookup: NameLookup,
    ids: readonly string[],
    value: string,
  ): Promise<readonly Row[]> {
    try {
      const rows = await this.#findRows(entity, lookup, value);
      if (rows.some((row) => ids.some((id) => String(row[id]) === value))) return [];
      const matches = selectMatches(rows, lookup, ids, value);
      return matches.length === 0 || (await this.#exists(lookup, value)) ? [] : matches;
    } catch (error) {
      const isLost = this.#isPreview && error instanceof NetworkError;
      if (!isLost && !isLookupRejected(error)) throw error;
      this.#isUnavailable ||= !(error instanceof ClientError);
      return [];
    }
  }

  async #findRows(entity: EntityName, { filters }: NameLookup, value: string): Promise<readonly Row[]> {
    const { list } = entityOf(entity);
    if ('control' in list && this.#isUnavailable) return [];
    const rows: Row[] = [];
    for (const filter of filters ?? [list.filter ?? '']) {
      const query = { [filter]: value, limit: maxCandidates };
      const { signal } = this.#context.io;
      const { items } = await readEntityPage(this.#context, { source: list, params: [], query, signal });
      rows.push(...(items as readonly Row[]));
    }
    return rows;
  }

  async #exists({ path }: NameLookup, value: string): Promise<boolean> {
    if (path === undefined) return false;
    try {
      await callControlPlane(this.#context, 'GET', path + encodeURIComponent(value));
      return true;
    } catch (error) {
      if (isLookupRejected(error)) return false;
      throw error;
    }
  }
}

/** Whether the caller may not look up names, or the server cannot. The request itself then reports what is wrong. */
function isLookupRejected(error: unknown): boolean {
  if (error instanceof ClientError) return error.status < 500 && error.status !== 429;
  return error instanceof CliError;
}

/** Whether a property is a name that the service accepts as such: a login name or an application. */
function isName(entity: EntityName, property: string): boolean {
  const { name, application } = entityOf(entity).properties;
  return property === name || property === application;
}

/** The rows that a value names by any of the properties, if they have an id. A name of two is ambiguous. */
function selectMatches(
  rows: readonly Row[],
  { names }: NameLookup,
  ids: readonly string[],
  value: string,
): readonly Row[] {
  const usable = rows.filter((row) => idOf(row, ids) !== '');
  if (!names) return usable;
  return usable.filter((row) => names.some((property) => row[property] === value));
}

/** The id of a row that a request accepts; empty if it has none. */
function idOf(row: Row, ids: readonly string[]): string {
  const id = ids.find((property) => row[property] !== undefined);
  return id === undefined ? '' : String(row[id]);
}

/** The name of several entities (exit 2). */
export class AmbiguousNameError extends CliError {}

function ambiguousNameError(
  entity: EntityName,
  { noun }: NameLookup,
  rows: readonly Row[],
  value: string,
): AmbiguousNameError {
  const { shown } = entityOf(entity);
  const lines = rows.map((row) => `  ${shown.flatMap((name) => row[name] ?? []).join('  ')}`);
  const count = rows.length < maxCandidates ? String(rows.length) : `At least ${rows.length}`;
  return new AmbiguousNameError(`${count} ${noun} match ${JSON.stringify(value)}; nothing was sent.`, {
    code: 'USAGE',
    exitCode: 2,
    hint: 'Use the id of one of them.',
    lines,
  });
}

/** A value that refers to an entity, and its place in the request. */
interface ReferenceValue {
  readonly reference: Reference;
  readonly value: string;
  replace(id: string): void;
}

/** Collects the references of a property, with those in lists and objects below it. */
function collectReferences(schema: JsonSchema, parent: object, name: string | number, found: ReferenceValue[]): void {
  const holder = parent as Record<string | number, unknown>;
  const value = holder[name];
  const reference = schema['x-reference'];
  if (reference && typeof value === 'string')
    found.push({ reference, value, replace: (id) => Object.assign(holder, { [name]: id }) });
  else if (Array.isArray(value) && schema.items)
    for (const at of value.keys()) collectReferences(schema.items, value, at, found);
  else if (typeof value === 'object' && value !== null)
    for (const [field, property] of Object.entries(schema.properties ?? {}))
      collectReferences(property, value, field, found);
  if (!reference) for (const other of schema.anyOf ?? []) collectReferences(other, parent, name, found);
}

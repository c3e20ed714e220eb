/** `--if-not-exists`: finds what exists by its natural key, and never makes a second one. */

import { ClientError } from '../../client/errors.ts';
import type { CallInput } from '../../client/types.ts';
import { type EntityName, entityOf, idPropertyOf } from '../../contract/entities.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import { singleQuote } from '../../lib/shell-variables.ts';
import { decodeClaims } from '../auth/decode-token.ts';
import type { Context, RequestContext } from '../context.ts';
import { CliError, categoryOf, HintedClientError, UnknownOutcomeError } from '../errors.ts';
import { requireSendableCredentials } from '../http/connection.ts';
import { describeWithNames, type NameOf, withReferredNames } from '../output/name-columns.ts';
import { lookups } from '../output/name-lookups.ts';
import { formatRotateCommand } from '../output/rotate-commands.ts';
import { callControlPlane } from '../request/control-plane.ts';
import { idBesideToken } from '../request/created-entity.ts';
import { getCurrentToken } from '../request/current-token.ts';
import { describeDifferences, type EntityFields, toStoredSpelling } from '../request/differences.ts';
import { readEntityPage } from '../request/entity-rows.ts';
import { collectEntries, type PageSource } from '../request/pagination.ts';
import { send } from '../request/send.ts';
import { type NaturalKey, naturalKeyOf } from './natural-keys.ts';

/** An entity that exists in place of the one to create. */
export interface ExistingEntity {
  /** The fields of the response to its creation, without secrets; empty if no read returns it. */
  readonly body: EntityFields;
  /** What a person should know: that nothing was changed, and what differs from the request. */
  describe(nameOf?: NameOf): readonly string[];
  /** It has all values of the request, as far as reads show them. */
  readonly isAsRequested: boolean;
  /** Whether the command created it: unknown if the response was lost. */
  readonly created: false | null;
}

/** With the reader of names of a command, ids in errors have names. */
type NamingContext = RequestContext & Partial<Pick<Context, 'findNames'>>;

export type Creation<Result> = { readonly created: Result } | { readonly existing: ExistingEntity };

/**
 * Creates an entity. If it exists, returns the same fields of the existing one, unchanged; the field `created` and
 * notices report which happened.
 * @param looksFirst `create` asks a question, which is in vain if the entity exists
 */
export async function createIfNotExists(
  context: Context,
  operation: ManifestOperation,
  input: CallInput,
  create: () => Promise<unknown>,
  looksFirst = false,
): Promise<unknown> {
  const creation = await createOrFind(context, operation, input, create, looksFirst);
  if ('created' in creation) {
    context.notice('Created.');
    return { ...(creation.created as EntityFields | undefined), created: true };
  }
  context.notice(...(await describeWithNames(context.findNames, creation.existing.describe)));
  return { ...creation.existing.body, created: creation.existing.created };
}

/**
 * Creates an entity, or finds the one with its natural key.
 * @throws CliError (exit 6) if several have the key; the error of the server if another entity causes the conflict, or one
 * that a stranger could have made
 */
export async function createOrFind<Result>(
  context: NamingContext,
  operation: ManifestOperation,
  { body = {} }: CallInput,
  create: () => Promise<Result>,
  looksFirst = false,
): Promise<Creation<Result>> {
  const search = { context, operation, key: requireKey(operation), body: body as EntityFields };
  const isShared = sharedFieldsOf(search).length > 0;
  const found = isShared ? await find(search) : looksFirst ? await findOwn(search) : undefined;
  if (found) return { existing: describe(search, found) };
  try {
    return { created: await create() };
  } catch (error) {
    const existing = await findInstead(search, error);
    if (!existing) throw error;
    return { existing };
  }
}

/** The values of a key that the server lets several entities have; undefined if it refuses the second one. */
export function formatSharedKey(operation: ManifestOperation, body: unknown): string | undefined {
  const key = naturalKeyOf(operation);
  const fields = key ? sharedFieldsOf({ key, body: (body ?? {}) as EntityFields }) : [];
  return fields.length === 0
    ? undefined
    : JSON.stringify([operation.id, ...fields.map((field) => (body as EntityFields)[field])]);
}

/**
 * What an earlier attempt of a create made, if the repetition was rejected because it exists as requested. One with a secret
 * does not count, since the secret is lost.
 */
export async function findApplied(
  context: RequestContext,
  operation: ManifestOperation,
  { body = {} }: CallInput,
  error: unknown,
): Promise<EntityFields | undefined> {
  const key = naturalKeyOf(operation);
  if (!key || hasOwnSecret(operation)) return undefined;
  const existing = await findInstead({ context, operation, key, body: body as EntityFields }, error).catch(
    () => undefined,
  );
  return existing?.isAsRequested ? existing.body : undefined;
}

/** What exists after a failed create, if it is proof that the entity exists; undefined if the failure stands. */
async function findInstead(search: Search, error: unknown): Promise<ExistingEntity | undefined> {
  const { context, operation } = search;
  const isTaken = categoryOf(context.manifest, error) === 'taken';
  // What exists now is final, also if another caller made it. A secret of it would be lost.
  const isReadBack = error instanceof UnknownOutcomeError && !context.io.signal.aborted && !hasOwnSecret(operation);
  if (!isTaken && !isReadBack) return undefined;
  const found = await find(search).catch((failure: unknown) => {
    if (isReadBack) return undefined;
    if (isUnreadable(failure)) return isKeyOnlyConflict(search) ? unreadable : undefined;
    throw failure;
  });
  if (found === undefined) return undefined;
  const hint = await describeStranger(context, found);
  if (hint === undefined) return describe(search, found, isReadBack ? null : false);
  if (error instanceof ClientError) throw new HintedClientError(error, hint);
  return undefined;
}

/** What exists and is no stranger's; undefined if the caller may not read it. */
async function findOwn(search: Search): Promise<EntityFields | undefined> {
  const found = await find(search).catch((error: unknown) => {
    if (isUnreadable(error)) return undefined;
    throw error;
  });
  return found && (await describeStranger(search.context, found)) === undefined ? found : undefined;
}

/** What is looked for, and where. */
interface Search {
  readonly context: NamingContext;
  readonly operation: ManifestOperation;
  readonly key: NaturalKey;
  readonly body: EntityFields;
}

function requireKey(operation: ManifestOperation): NaturalKey {
  const key = naturalKeyOf(operation);
  if (!key) throw new TypeError(`${operation.id} has no natural key.`);
  return key;
}

function sharedFieldsOf({ key, body }: Pick<Search, 'key' | 'body'>): readonly string[] {
  return key.sharedFields?.(body) ?? [];
}

/** The response has a secret that is that of the entity; the token of a user is not. */
function hasOwnSecret(operation: ManifestOperation): boolean {
  return operation.response.secret === true && idBesideToken(operation) === undefined;
}

/** Exists, but no read returns it to this caller. */
const unreadable: EntityFields = {};

/** Whether a conflict can be about nothing but the key: a customer also has a document that another one can have. */
function isKeyOnlyConflict({ key }: Search): boolean {
  return key.kind !== 'customer';
}

/** Several entities have the natural key of one that is to be created. */
export class SeveralExistError extends CliError {}

/** The entity with the key. @throws SeveralExistError (exit 6) if there are several */
async function find(search: Search): Promise<EntityFields | undefined> {
  const { operation } = search;
  const [found, ...others] = await findAll(search).catch(async (error: unknown) => {
    const row = isUnreadable(error) ? await readById(search) : undefined;
    if (row === undefined) throw error;
    return [row];
  });
  if (others.length === 0) return found === undefined ? readById(search) : addDetails(search, found);
  const entity = createdBy(operation);
  const rows = await withReferredNames([found ?? {}, ...others], entity, search.context.findNames);
  const ids = rows.map((row) => String(row[idPropertyOf(entity)]));
  const listed = rows.map((row, at) => describeRow(entity, row, ids[at] ?? ''));
  const noun = lookups[entity]?.noun ?? entity;
  throw new SeveralExistError(`${ids.length} ${noun} exist: ${listed.join(', ')}. None was created.`, {
    code: 'SEVERAL_EXIST',
    exitCode: 6,
    details: { ids },
    hint: 'Use one of these ids, and delete those that are not needed.',
  });
}

/** The id, and what else people know it by: `64b0c0ffee00000000000f01 (reports, kkkk)`. */
function describeRow(entity: EntityName, row: EntityFields, id: string): string {
  const others = entityOf(entity).shown.flatMap((name) => (name in row && String(row[name]) !== id ? [row[name]] : []));
  return others.length === 0 ? id : `${id} (${others.map(String).join(', ')})`;
}

async function findAll({ context, operation, key, body }: Search): Promise<readonly EntityFields[]> {
  const entity = entityOf(createdBy(operation));
  const { signal } = context.io;
  const filters = Object.entries(key.filters(body)).filter(([, value]) => value !== undefined);
  const load: PageSource = (query) =>
    readEntityPage(context, {
      source: entity.list,
      params: [],
      query: { ...query, ...Object.fromEntries(filters) },
      signal,
    });
  const rows = (await collectEntries(load, Number.POSITIVE_INFINITY)) as readonly EntityFields[];
  if (key.kind === 'user') return matchUsers(rows, body);
  const isOwned = sharedFieldsOf({ key, body }).length > 0;
  const candidates = isOwned && key.party !== undefined ? rows.filter(({ party }) => party === key.party) : rows;
  const owner = isOwned && key.ownedByCaller ? await requireOwner(context) : {};
  const { findMatches } = await import('./matches.ts');
  return findMatches(key.kind, { ...body, ...owner }, candidates);
}

/** The id decides; without one the name, in any case as at a login. */
function matchUsers(rows: readonly EntityFields[], { userId, userName }: EntityFields): readonly EntityFields[] {
  if (userId !== undefined) return rows.filter((row) => row.userId === userId);
  return rows.filter((row) => foldIdentifier(String(row.userName)) === foldIdentifier(String(userName)));
}

/** Reads the entity where no list has it, but an operation accepts the id in the request. */
async function readById(
  { context, operation, body }: Search,
  value = body[idPropertyOf(createdBy(operation))],
): Promise<EntityFields | undefined> {
  const { get: id } = entityOf(createdBy(operation));
  const get = context.manifest.operations.find((one) => one.id === id);
  const [param] = get?.params ?? [];
  if (!get || !param || typeof value !== 'string') return undefined;
  try {
    return { ...((await send(context, get, { params: { [param.name]: value } })).body as EntityFields) };
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return undefined;
    throw error;
  }
}

/** The row of a customer lacks the fields of its business, and that of a user the mobile number. */
async function addDetails(search: Search, row: EntityFields): Promise<EntityFields> {
  const { context, operation, body } = search;
  if (operation.creates === 'user' && body.userMobile !== undefined && !('userMobile' in row)) {
    const contacts = await readById(search, row.userId).catch((error: unknown) => {
      if (!isUnreadable(error)) throw error;
      return { [maskMark('userMobile')]: true };
    });
    return { ...contacts, ...row };
  }
  if (operation.creates !== 'customer' || typeof row.businessId !== 'string') return row;
  const path = `/_iam/businesses/${encodeURIComponent(row.businessId)}`;
  const business = await callControlPlane(context, 'GET', path, { signal: context.io.signal });
  return { ...(business.body as EntityFields), ...row };
}

function createdBy({ id, creates }: ManifestOperation): EntityName {
  if (creates === undefined) throw new TypeError(`${id} creates nothing.`);
  return creates;
}

function describe(
  { operation, key, body }: Search,
  found: EntityFields,
  created: ExistingEntity['created'] = false,
): ExistingEntity {
  const heading =
    created === null
      ? 'Exists: this command created it, and the response was lost, or it existed before.'
      : 'Already exists; nothing was changed.';
  const id = found[idPropertyOf(createdBy(operation))];
  if (id === undefined)
    return {
      body: {},
      describe: () => [heading, 'Its id is not known: no operation that this caller may use returns it.'],
      isAsRequested: false,
      created,
    };
  const { describeFields, hidden } = compare(operation, key, body, found);
  const rotate = formatRotateCommand(key.kind, singleQuote(String(id)));
  return {
    body: pickResponseFields(operation, found),
    describe: (nameOf) => [
      heading,
      ...describeFields(nameOf).flatMap((line, at) => [
        ...(at === 0 ? ['From the existing one to the request:'] : []),
        `  ${line}`,
      ]),
      ...(hidden.length > 0 ? [`Not compared, because the server masks it: ${hidden.join(', ')}.`] : []),
      ...(rotate === undefined ? [] : [`Its secret is not shown again; ${rotate} replaces it.`]),
    ],
    isAsRequested: describeFields().length + hidden.length === 0,
    created,
  };
}

/** The field that says that a read masks the value of another one for this caller. */
function maskMark(field: string): string {
  return `${field}Masked`;
}

/** How the fields of the request differ from those of the entity, and which of them cannot be compared. */
function compare(
  operation: ManifestOperation,
  { normalizeEntry, toRequestFields = (entity) => entity }: NaturalKey,
  body: EntityFields,
  found: EntityFields,
): { describeFields(nameOf?: NameOf): readonly string[]; readonly hidden: readonly string[] } {
  const schema = operation.body ?? {};
  const isMasked = (name: string) => found[maskMark(name)] === true;
  const sent = Object.keys(schema.properties ?? {}).filter((name) => body[name] !== undefined);
  const shown = sent.filter((name) => !isMasked(name) && schema.properties?.[name]?.sensitive !== 'secret');
  // The server stores new names in NFC.
  const pick = (fields: EntityFields): EntityFields =>
    JSON.parse(
      JSON.stringify(
        Object.fromEntries(shown.map((name) => [name, toStoredSpelling(schema.properties?.[name], fields[name])])),
      ).normalize('NFC'),
    );
  const rules = { schema, ...(normalizeEntry ? { normalizeEntry } : {}) };
  return {
    describeFields: (nameOf) =>
      describeDifferences(pick(toRequestFields(found)), pick(body), { ...rules, ...(nameOf ? { nameOf } : {}) }),
    hidden: sent.filter(isMasked),
  };
}

/** The fields of an existing entity that the response to its creation has: all but its secrets. */
function pickResponseFields(operation: ManifestOperation, found: EntityFields): EntityFields {
  const id = idBesideToken(operation);
  const names = id === undefined ? Object.keys(operation.response.schema?.properties ?? found) : [id];
  return Object.fromEntries(names.filter((field) => field in found).map((field) => [field, found[field]]));
}

/** Describes a user who chose its name itself, or a client of another owner; undefined for other entities. */
async function describeStranger(context: RequestContext, row: EntityFields): Promise<string | undefined> {
  if (row.nameVerified === false) {
    const id = `id:${row.userId}`;
    const update = `iam users update ${singleQuote(id)} --user-name ${singleQuote(String(row.userName))}`;
    return `The user ${id} signed up under this name. If you mean it, use this id, or set its name as an administrator: \`${update}\`. Otherwise choose another name, or delete the user.`;
  }
  if (row.party !== '3RDPARTY' || (await isOwnClient(context, row))) return undefined;
  return `The client id:${row.clientId} of another owner has this service account. If you mean it, use this id. Otherwise choose another service account, or delete the client.`;
}

async function isOwnClient(context: RequestContext, row: EntityFields): Promise<boolean> {
  const [owner] = Object.entries(await readOwner(context));
  return owner !== undefined && row[owner[0]] === owner[1];
}

const ownerFields = { business_id: 'businessId', user_id: 'userId', client_id: 'ownerClientId' } as const;

/** The owner of what the caller creates for itself: its business, otherwise its user, otherwise the client itself. */
async function readOwner(context: RequestContext): Promise<EntityFields> {
  const token = await getCurrentToken(context, requireSendableCredentials(context.settings));
  const claims = (token === undefined ? undefined : decodeClaims(token)) ?? {};
  const [owner] = Object.entries(ownerFields).filter(([claim]) => claims[claim] !== undefined);
  return owner === undefined ? {} : { [owner[1]]: claims[owner[0]] };
}

/** @throws CliError if the credentials do not show whose clients are those of the caller */
async function requireOwner(context: RequestContext): Promise<EntityFields> {
  const owner = await readOwner(context);
  if (Object.keys(owner).length > 0) return owner;
  throw new CliError('The token does not show whose client this would be, so the existing one cannot be found.', {
    code: 'OWNER_UNKNOWN',
    exitCode: 2,
    hint: 'Nothing was sent. Name a service account, or omit --if-not-exists.',
  });
}

/** Whether the list is missing on this server, or not for this caller. */
function isUnreadable(error: unknown): boolean {
  if (error instanceof CliError) return error.code === 'CONTROL_PLANE_MISSING';
  return error instanceof ClientError && (error.status === 401 || error.status === 403);
}

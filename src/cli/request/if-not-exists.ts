/** `--if-not-exists`: treats an existing entity as created. */

import { ClientError } from '../../client/errors.ts';
import type { CallInput } from '../../client/types.ts';
import { type EntityDeclaration, entityOf } from '../../contract/entities.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { decodeClaims } from '../auth/decode-token.ts';
import type { Context } from '../context.ts';
import { CliError, categoryOf, HintedClientError } from '../errors.ts';
import { requireSendableCredentials } from '../http/connection.ts';
import { singleQuote } from '../http/curl.ts';
import { idBesideToken } from './created-entity.ts';
import { getCurrentToken } from './current-token.ts';
import { readEntityPage } from './entity-rows.ts';
import { foldName } from './resolve-names.ts';
import { send } from './send.ts';

type Row = Readonly<Record<string, unknown>>;

/** An identifying value in the body, and the kind of reference it is: id or name. */
interface EntityKey {
  readonly by: string;
  readonly value: string;
}

/**
 * Creates an entity. If it exists, returns the same fields of the existing one, unchanged; the field `created` and a
 * notice report which happened.
 * @throws the error of the server if another entity causes the conflict, or one that a stranger could have made
 */
export async function createIfNotExists(
  context: Context,
  operation: ManifestOperation,
  input: CallInput,
  create: () => Promise<unknown>,
): Promise<unknown> {
  try {
    const body = (await create()) as Row | undefined;
    context.notice('Created.');
    return { ...body, created: true };
  } catch (error) {
    if (categoryOf(context.manifest, error) !== 'taken') throw error;
    const found = await findExisting(context, operation, (input.body ?? {}) as Row);
    if (found === 'none') throw error;
    const hint = found === 'unknown' ? undefined : await describeStranger(context, found);
    if (hint !== undefined && error instanceof ClientError) throw new HintedClientError(error, hint);
    context.notice('Already exists; nothing was changed.');
    if (found === 'unknown') context.notice('Its id is not known: no operation that this caller may use returns it.');
    return { ...(found === 'unknown' ? {} : pickResponseFields(operation, found)), created: false };
  }
}

/** Describes a user who chose its name itself, or a client of another owner; undefined for other entities. */
async function describeStranger(context: Context, row: Row): Promise<string | undefined> {
  if (row.nameVerified === false) {
    const id = `id:${row.userId}`;
    const update = `iam users update ${singleQuote(id)} --user-name ${singleQuote(String(row.userName))}`;
    return `The user ${id} signed up under this name. If you mean it, use this id, or set its name as an administrator: \`${update}\`. Otherwise choose another name, or delete the user.`;
  }
  if (row.party !== '3RDPARTY' || (await isOwnClient(context, row))) return undefined;
  return `The client id:${row.clientId} of another owner has this service account. If you mean it, use this id. Otherwise choose another service account, or delete the client.`;
}

const ownerFields = { business_id: 'businessId', user_id: 'userId', client_id: 'ownerClientId' } as const;

/** Whether the caller is the owner: its business, otherwise its user, otherwise the client itself. */
async function isOwnClient(context: Context, row: Row): Promise<boolean> {
  const token = await getCurrentToken(context, requireSendableCredentials(context.settings));
  const claims = (token === undefined ? undefined : decodeClaims(token)) ?? {};
  const [owner] = Object.entries(ownerFields).filter(([claim]) => claims[claim] !== undefined);
  return owner !== undefined && row[owner[1]] === claims[owner[0]];
}

/** The fields of an existing entity that the response to its creation has: all but its secrets. */
function pickResponseFields(operation: ManifestOperation, found: Row): Row {
  const id = idBesideToken(operation);
  const names = id === undefined ? Object.keys(operation.response.schema?.properties ?? found) : [id];
  return Object.fromEntries(names.filter((field) => field in found).map((field) => [field, found[field]]));
}

/**
 * Finds the entity by the identifying values in the body; an id is decisive. `none`: another entity causes the conflict.
 * `unknown`: neither an operation nor a list returns it.
 */
async function findExisting(
  context: Context,
  operation: ManifestOperation,
  body: Row,
): Promise<Row | 'none' | 'unknown'> {
  if (operation.creates === undefined) return 'unknown';
  const keys = keysIn(operation, body);
  const key = keys.find(({ by }) => by === 'id') ?? keys[0];
  if (!key) return 'unknown';
  const entity = entityOf(operation.creates);
  const listed = await searchByKey(context, entity, key);
  return typeof listed === 'string' ? ((await readByKey(context, entity, key)) ?? listed) : listed;
}

/** Reads the entity with the operation that accepts this kind of key. */
async function readByKey(
  context: Context,
  { get: id, properties }: EntityDeclaration,
  { by, value }: EntityKey,
): Promise<Row | undefined> {
  const get = context.manifest.operations.find((one) => one.id === id);
  const [param] = get?.params ?? [];
  if (!get || !param?.schema['x-reference']?.by.includes(by)) return undefined;
  try {
    const found = (await send(context, get, { params: { [param.name]: value } })).body as Row;
    return { [properties[by] ?? by]: value, ...found };
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return undefined;
    throw error;
  }
}

/** Searches the list of entities, if it has a filter. */
async function searchByKey(
  context: Context,
  { list, properties }: EntityDeclaration,
  { by, value }: EntityKey,
): Promise<Row | 'none' | 'unknown'> {
  if (list.filter === undefined) return 'unknown';
  const property = properties[by] ?? by;
  const { signal } = context.io;
  try {
    const query = { [list.filter]: value };
    const rows = (await readEntityPage(context, { source: list, params: [], query, signal })).items as readonly Row[];
    const exact = rows.find((row) => row[property] === value);
    // Lists of the control plane match a name exactly, except for the case of login names.
    const similar =
      'control' in list ? rows.find((row) => foldName(String(row[property])) === foldName(value)) : undefined;
    return exact ?? similar ?? 'none';
  } catch (error) {
    if (isUnreadable(error)) return 'unknown';
    throw error;
  }
}

/** Whether the list is missing on this server, or not for this caller. */
function isUnreadable(error: unknown): boolean {
  if (error instanceof CliError) return error.code === 'CONTROL_PLANE_MISSING';
  return error instanceof ClientError && (error.status === 401 || error.status === 403);
}

/** The values in the body that identify the entity it creates. */
function keysIn({ body: schema, creates }: ManifestOperation, body: Row): EntityKey[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([field, { 'x-defines': definition }]) => {
    const value = body[field];
    return definition?.entity === creates && typeof value === 'string' ? [{ by: definition?.by ?? '', value }] : [];
  });
}

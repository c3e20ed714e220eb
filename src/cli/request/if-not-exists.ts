/** `--if-not-exists`: treats an existing entity as created. */

import { ClientError } from '../../client/errors.ts';
import { asPage } from '../../client/response.ts';
import type { CallInput } from '../../client/types.ts';
import { entityOf } from '../../contract/entities.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import type { Context } from '../context.ts';
import { categoryOf } from '../errors.ts';
import { getOperation } from './find-operation.ts';
import { send } from './send.ts';

type Row = Readonly<Record<string, unknown>>;

/** Creates an entity. If its name is taken, returns the same fields of the existing one, unchanged. */
export async function createIfNotExists(
  context: Context,
  operation: ManifestOperation,
  input: CallInput,
  create: () => Promise<unknown>,
): Promise<unknown> {
  try {
    return await create();
  } catch (error) {
    if (categoryOf(context.manifest, error) !== 'taken') throw error;
    context.notice('Already exists; nothing was changed.');
    return readExistingFields(context, operation, input);
  }
}

async function readExistingFields(context: Context, operation: ManifestOperation, input: CallInput): Promise<unknown> {
  const found = await existingEntity(context, operation, (input.body ?? {}) as Row).catch((error: unknown) => {
    // The conflicting value is not one that the lookup uses.
    if (error instanceof ClientError && error.status === 404) return undefined;
    throw error;
  });
  if (!found) return undefined;
  const names = Object.keys(operation.response.schema?.properties ?? found);
  return Object.fromEntries(names.filter((field) => field in found).map((field) => [field, found[field]]));
}

/** Looks the entity up by the names in the body: reads it, or searches the list. */
async function existingEntity(context: Context, operation: ManifestOperation, body: Row): Promise<Row | undefined> {
  if (operation.creates === undefined) return undefined;
  const { get: getId, list, properties } = entityOf(operation.creates);
  const names = namesIn(operation, body);
  const get = context.manifest.operations.find(({ id }) => id === getId);
  const [param] = get?.params ?? [];
  const known = names.find(({ by }) => param?.schema['x-reference']?.by.includes(by));
  if (get && param && known) return (await send(context, get, { params: { [param.name]: known.value } })).body as Row;
  const named = names.find(({ by }) => by === 'name');
  if (!named || !('operation' in list) || list.filter === undefined) return undefined;
  const lister = getOperation(context.manifest, list.operation);
  const { items } = asPage(await send(context, lister, { query: { [list.filter]: named.value } }));
  return (items as readonly Row[]).find((row) => row[properties.name ?? ''] === named.value);
}

/** The values in the body that identify the entity it creates. */
function namesIn({ body: schema, creates }: ManifestOperation, body: Row): { by: string; value: string }[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([field, { 'x-defines': definition }]) => {
    const value = body[field];
    return definition?.entity === creates && typeof value === 'string' ? [{ by: definition?.by ?? '', value }] : [];
  });
}

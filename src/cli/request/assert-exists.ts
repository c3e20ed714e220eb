/** Looks whether the objects that a request refers to exist: before a question, and for a filter that finds nothing. */
import { ClientError } from '../../client/errors.ts';
import type { CallInput } from '../../client/types.ts';
import { entityOf, type Reference } from '../../contract/entities.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import type { RequestContext } from '../context.ts';
import { categoryOf } from '../errors.ts';
import { listIds, lookups } from '../output/name-lookups.ts';
import { callOptionalControlPlane } from './control-plane.ts';
import { readEntityPage } from './entity-rows.ts';
import { getOperation } from './find-operation.ts';
import { notFoundError } from './not-found.ts';
import { listReferences } from './request-spec.ts';
import { send } from './send.ts';

/** The most rows that are searched for an object which no read returns alone. */
const maxRows = 1_000;

/**
 * Reads what a request refers to, where a read or a list shows it. What the caller may not read can exist.
 * @throws ClientError if an object does not exist
 */
export async function assertReferencesExist(
  context: RequestContext,
  request: Pick<ManifestOperation, 'params' | 'query' | 'body'>,
  { params = {}, query = {}, body }: CallInput,
): Promise<void> {
  const preceding: string[] = [];
  for (const { reference, value } of listReferences(request, { params, query, body })) {
    await assertExists(context, reference, value, preceding);
    preceding.push(value);
  }
}

/** An unknown object can be one of the query: its error in place of that of the request. @throws ClientError */
export async function assertQueryExists(
  context: RequestContext,
  { query }: Pick<ManifestOperation, 'query'>,
  input: CallInput,
  error: unknown,
): Promise<void> {
  if (categoryOf(context.manifest, error) !== 'not-found') return;
  await assertReferencesExist(context, { params: [], query }, { query: input.query });
}

async function assertExists(
  context: RequestContext,
  reference: Reference,
  value: string,
  preceding: readonly string[],
): Promise<void> {
  const missing = notFoundError(context.manifest, reference, value);
  if (!missing) return;
  const isMissing = await isAbsent(context, reference, value, preceding).catch((error: unknown) => {
    if (context.io.signal.aborted) throw error;
    // A text that is too long for an id is none.
    const isRefused = error instanceof ClientError && error.status === 400;
    return isRefused || categoryOf(context.manifest, error) === 'not-found';
  });
  if (isMissing) throw missing;
}

/** Whether a list that is complete lacks the object. @throws ClientError if a read of the object finds none */
async function isAbsent(
  context: RequestContext,
  { entity: name, by, among }: Reference,
  value: string,
  preceding: readonly string[],
): Promise<boolean> {
  const entity = entityOf(name);
  const { signal } = context.io;
  if (among === undefined && entity.get !== undefined) {
    const operation = getOperation(context.manifest, entity.get);
    await send(context, operation, { params: { [operation.params[0]?.name ?? '']: value } });
    return false;
  }
  const read = lookups[name]?.read;
  if (among === undefined && by[0] === 'id' && typeof read === 'string') {
    await callOptionalControlPlane(context, 'GET', read + encodeURIComponent(value), { signal });
    return false;
  }
  const source = among ?? entity.list;
  const names = among === undefined ? listIds(name, by) : [among.property];
  const filter = among === undefined && lookups[name] ? entity.list.filter : undefined;
  const query = { limit: maxRows, ...(filter === undefined ? {} : { [filter]: value }) };
  const { items, next } = await readEntityPage(context, { source, params: preceding, query, signal });
  const rows = items as readonly Readonly<Record<string, unknown>>[];
  return next === undefined && !rows.some((row) => names.some((property) => String(row[property]) === value));
}

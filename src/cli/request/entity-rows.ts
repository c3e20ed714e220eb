/** Reads the rows of an entity list: from an operation or from the control plane. */
import { asPage } from '../../client/response.ts';
import type { ResultPage, Scalar } from '../../client/types.ts';
import type { EntityListSource } from '../../contract/entities.ts';
import type { RequestContext } from '../context.ts';
import type { Printer } from '../output/printer.ts';
import { callControlPlane } from './control-plane.ts';
import { getOperation } from './find-operation.ts';
import { send } from './send.ts';

export interface EntityPageRequest {
  readonly source: EntityListSource;
  /** The values of the path parameters, in order. */
  readonly params: readonly string[];
  /** Filter, limit and cursor; ignored by an operation that is not paged. */
  readonly query: Readonly<Record<string, Scalar | undefined>>;
  readonly signal: AbortSignal;
}

/** Returns one page of rows. An operation that reads one entity returns it as the only row. */
export async function readEntityPage(
  context: RequestContext,
  { source, params: values, query, signal }: EntityPageRequest,
): Promise<ResultPage<unknown>> {
  if ('control' in source) {
    const left = [...values];
    const path = source.control.replace(/\{[^}]+\}/g, () => encodeURIComponent(left.shift() ?? ''));
    return asPage(await callControlPlane(context, 'GET', path, { query, signal }));
  }
  const operation = getOperation(context.manifest, source.operation);
  const params = Object.fromEntries(operation.params.map(({ name }, at) => [name, values[at] ?? '']));
  const response = await send(context, operation, { params, ...(operation.response.page ? { query } : {}), signal });
  return Array.isArray(response.body) ? asPage(response) : { items: [response.body] };
}

/** One entity, and the ETag for a write of it if the response had one. */
export interface EntityRead {
  readonly entity: Readonly<Record<string, unknown>>;
  readonly etag?: string | undefined;
  /** The ETag of its file, where that of the server does not cover all fields that the update writes. */
  readonly fileEtag?: string;
}

/** The ETag of the file of an entity. */
export function etagOfFile({ fileEtag, etag }: EntityRead): string | undefined {
  return fileEtag ?? etag;
}

/** The entity as `get` prints it: in formats of a file with its ETag, last. */
export function withEtag({ format }: Pick<Printer, 'format'>, read: EntityRead): EntityRead['entity'] {
  const etag = etagOfFile(read);
  return etag !== undefined && (format === 'json' || format === 'yaml') ? { ...read.entity, etag } : read.entity;
}

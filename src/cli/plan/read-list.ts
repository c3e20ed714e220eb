/** Reads whole lists from the API and from the control plane. */
import { ClientError } from '../../client/errors.ts';
import { asPage } from '../../client/response.ts';
import type { ResultPage } from '../../client/types.ts';
import type { RequestContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import { callOperation } from '../request/call-operation.ts';
import { type ControlFilters, callOptionalControlPlane } from '../request/control-plane.ts';
import { collectEntries, type PageSource } from '../request/pagination.ts';

export function readApiList(
  context: RequestContext,
  operation: string,
  params?: Readonly<Record<string, string>>,
): Promise<unknown[]> {
  const input = params === undefined ? {} : { params };
  return readPages(async (query) => asPage(await callOperation(context, operation, { ...input, query })));
}

function readPages(source: PageSource): Promise<unknown[]> {
  return collectEntries(source, Number.POSITIVE_INFINITY);
}

/** Reads a list that only the control plane has. @throws CliError if the server has no control plane */
export async function readControlList(context: RequestContext, path: string): Promise<unknown[]> {
  const found = await readOptionalControlList(context, path);
  if (found) return found;
  throw new CliError(
    `The server at ${resolveBaseUrl(context.settings)} has no control plane, which is required to list ${path.replace('/_iam/', '')}.`,
    {
      code: 'CONTROL_PLANE_MISSING',
      exitCode: 3,
      hint: 'Remove them from the documents, or use a server that was started without --disable-control-plane.',
    },
  );
}

/** Reads a list of the control plane; undefined if the server has none. */
export async function readOptionalControlList(context: RequestContext, path: string): Promise<unknown[] | undefined> {
  let isMissing = false;
  const found = await readPages(async (query) => {
    const page = await readControlPage(context, path, query);
    isMissing ||= page === undefined;
    return page ?? { items: [] };
  });
  return isMissing ? undefined : found;
}

/** Reads an entity of the control plane; undefined if there is none, or if the server has no control plane. */
export async function readControlEntity(context: RequestContext, path: string): Promise<unknown> {
  try {
    return (await callOptionalControlPlane(context, 'GET', path, {}))?.body;
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return undefined;
    throw error;
  }
}

/** Reads a page of a list of the control plane; undefined if the server has none. */
export async function readControlPage(
  context: RequestContext,
  path: string,
  query: ControlFilters,
): Promise<ResultPage<unknown> | undefined> {
  const response = await callOptionalControlPlane(context, 'GET', path, { query });
  return response && asPage(response);
}

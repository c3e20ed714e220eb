/** Calls to the control plane of the server: what the service interface itself does not have. */

import { ClientError } from '../client/errors.ts';
import { buildQueryString } from '../client/request.ts';
import { type ApiResponse, asPage, assertSuccess } from '../client/response.ts';
import type { CallInput, Scalar } from '../client/types.ts';
import type { PageSource } from './pagination.ts';
import { resolveBaseUrl } from './runtime/connection.ts';
import type { Context } from './runtime/context.ts';
import { categoryOf, type ErrorTable } from './runtime/error-entries.ts';
import { CliError } from './runtime/errors.ts';
import type { ListShape } from './runtime/output.ts';
import type { RequestPreview } from './send.ts';

export const controlPlaneNote =
  'Asks the control plane of the server under /_iam, which a server may have switched off.';

export type ControlFilters = Readonly<Record<string, Scalar | undefined>>;

/** Calls a route of the control plane, as whoever is signed in. Throws what the answer stands for where that is a failure. */
export async function callControlPlane(
  context: Context,
  method: string,
  path: string,
  input: Pick<CallInput, 'query' | 'body' | 'signal'> = {},
): Promise<ApiResponse> {
  const client = await context.connect();
  const answer = await client.raw(method, path, { signal: context.io.signal, ...input });
  try {
    assertSuccess(answer);
    return answer;
  } catch (error) {
    throw isRouteMissing(context.manifest, error) ? controlPlaneMissingError(context) : error;
  }
}

/** The pages of a list of the control plane. */
export function createControlPageSource(context: Context, path: string, filters: ControlFilters): PageSource {
  return async (query) => asPage(await callControlPlane(context, 'GET', path, { query: { ...filters, ...query } }));
}

/** What would be sent. */
export function controlRequestPreview(
  { sources }: Context,
  method: string,
  path: string,
  query: ControlFilters = {},
): RequestPreview {
  return { method, url: resolveBaseUrl(sources).replace(/\/+$/, '') + path + buildQueryString(query) };
}

/** A list of these columns, of which a table shows the first few. */
export function buildListShape(columns: readonly string[], main: number): ListShape {
  const properties = Object.fromEntries(columns.map((column) => [column, {}]));
  return { schema: { properties }, main: columns.slice(0, main) };
}

/** Nothing answers there; that a group or a session is not known is something else. */
export function isRouteMissing(table: ErrorTable, error: unknown): boolean {
  return error instanceof ClientError && error.status === 404 && categoryOf(table, error) !== 'not-found';
}

function controlPlaneMissingError({ sources }: Context): CliError {
  return new CliError(`The server at ${resolveBaseUrl(sources)} has no control plane, or one that lacks this.`, {
    code: 'CONTROL_PLANE_MISSING',
    exitCode: 3,
    hint: 'Ask a server that was started without --disable-control-plane.',
  });
}

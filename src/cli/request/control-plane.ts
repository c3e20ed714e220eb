/** Requests to the control plane of the server: functions outside the service interface. */

import { ClientError } from '../../client/errors.ts';
import { buildQueryString } from '../../client/request.ts';
import { type ApiResponse, assertSuccess } from '../../client/response.ts';
import type { CallInput, Scalar } from '../../client/types.ts';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { Context, RequestContext } from '../context.ts';
import { CliError, ControlPlaneError, categoryOf, type ErrorTable } from '../errors.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import { readPathValues } from '../http/outcome-check.ts';
import { UnreadableResponseError } from '../http/promised-response.ts';
import { routeOfUrl } from '../http/redact.ts';
import type { ListShape } from '../output/list-writer.ts';
import { sentParameters, showRejectedValues } from '../output/rejected-values.ts';
import { findUnnamable, nameMissing } from './not-found.ts';
import type { RequestPreview } from './preview.ts';

export const controlPlaneNote = 'Uses the control plane of the server under /_iam. A server can have it disabled.';

export type ControlFilters = Readonly<Record<string, Scalar | undefined>>;
type ControlInput = Pick<CallInput, 'query' | 'body' | 'ifMatch' | 'signal'>;

/** Sends a request to the control plane with the credentials in use. @throws ClientError for an error response */
export async function callControlPlane(
  context: RequestContext,
  method: string,
  path: string,
  input: ControlInput = {},
): Promise<ApiResponse> {
  const response = await sendToControlPlane(context, method, path, input);
  if (response) return response;
  throw controlPlaneMissingError(context);
}

/** Like `callControlPlane`, but returns undefined if the server does not have the route, or another product responds. */
export async function callOptionalControlPlane(
  context: RequestContext,
  method: string,
  path: string,
  input: ControlInput,
): Promise<ApiResponse | undefined> {
  try {
    return await sendToControlPlane(context, method, path, input);
  } catch (error) {
    if (error instanceof UnreadableResponseError) return undefined;
    throw error;
  }
}

async function sendToControlPlane(
  context: RequestContext,
  method: string,
  path: string,
  input: ControlInput,
): Promise<ApiResponse | undefined> {
  const client = await context.connect();
  const response = await client.raw(method, path, { signal: context.io.signal, ...input });
  try {
    assertSuccess(response);
    return response;
  } catch (thrown) {
    const error = thrown instanceof ClientError ? nameValues(context, method, path, input, thrown) : thrown;
    if (isRouteMissing(context.manifest, error)) return undefined;
    throw error;
  }
}

/** Adds what a request refers to, by its path, query or body, to the error of an unknown object, and shows rejected values. */
function nameValues(
  { manifest }: RequestContext,
  method: string,
  path: string,
  { query, body }: ControlInput,
  error: ClientError,
): unknown {
  const route = routeOfUrl(manifest, method, path);
  const inPath = route && readPathValues(route.path, path);
  const unnamable = route && findUnnamable(manifest, route, { params: inPath, query, body }, error);
  if (unnamable) return unnamable;
  const shown = showRejectedValues(error, [
    { values: body, schema: route?.body },
    sentParameters(query, route?.query ?? []),
    sentParameters(inPath, route?.params ?? []),
  ]) as ClientError;
  if (!route) return new ControlPlaneError(shown);
  const inBody = Object.entries(route.body?.properties ?? {}).map(([name, schema]) => ({ name, schema }));
  const referring = [...route.params, ...route.query, ...inBody].filter(({ schema }) => schema['x-reference']);
  // The text of a file is no object with a value for each character.
  const sent = { ...(typeof body === 'object' ? body : undefined), ...query, ...inPath };
  return nameMissing(manifest, referring, sent, new ControlPlaneError(shown));
}

/** The preview of a request to the control plane. */
export function controlRequestPreview(
  { settings }: Context,
  method: string,
  path: string,
  query: ControlFilters = {},
): RequestPreview {
  return { method, url: resolveBaseUrl(settings).replace(/\/+$/, '') + path + buildQueryString(query) };
}

/**
 * A list with these columns, the most important first; a table displays the first `main` of them. `references`: what the
 * ids of a column refer to.
 */
export function buildListShape(
  columns: readonly string[],
  main: number,
  references: Readonly<Record<string, JsonSchema>> = {},
): ListShape {
  const properties = Object.fromEntries(columns.map((column) => [column, references[column] ?? {}]));
  return { schema: { properties }, main: columns.slice(0, main) };
}

/** Whether the route does not exist, as opposed to an unknown group or session, or a value that is none. */
function isRouteMissing(table: ErrorTable, error: unknown): boolean {
  if (!(error instanceof ClientError) || error.status !== 404) return false;
  const category = categoryOf(table, error);
  return category === undefined || category === 'path';
}

/** The error of a command that needs the control plane, where the server has none. `reason`: why the command needs it. */
export function controlPlaneMissingError({ settings }: RequestContext, reason?: string): CliError {
  return new CliError(
    `The server at ${resolveBaseUrl(settings)} has no control plane, or its version lacks this route.`,
    {
      code: 'CONTROL_PLANE_MISSING',
      exitCode: 3,
      hint: `${reason === undefined ? '' : `${reason} `}Use a server that was started without --disable-control-plane.`,
    },
  );
}

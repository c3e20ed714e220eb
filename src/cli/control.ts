/** Calls to the control plane of the server: what the service interface itself does not have. */
import { type Answer, asPage, assertSuccess } from '../client/answer.ts';
import { ClientError } from '../client/errors.ts';
import { queryString } from '../client/request.ts';
import type { CallInput, Scalar } from '../client/types.ts';
import type { PageSource } from './list.ts';
import { baseUrlOf } from './runtime/connection.ts';
import type { Context } from './runtime/context.ts';
import { categoryOf, type ErrorTable } from './runtime/error-entries.ts';
import { CliError } from './runtime/failures.ts';
import type { ListShape } from './runtime/output.ts';
import type { Plan } from './send.ts';

export const whereFrom = 'Asks the control plane of the server under /_iam, which a server may have switched off.';

export type Filters = Readonly<Record<string, Scalar | undefined>>;

/** Calls a route of the control plane, as whoever is signed in. Throws what the answer stands for where that is a failure. */
export async function callControl(
  context: Context,
  method: string,
  path: string,
  input: Pick<CallInput, 'query' | 'body' | 'signal'> = {},
): Promise<Answer> {
  const client = await context.connect();
  const answer = await client.raw(method, path, { signal: context.io.signal, ...input });
  try {
    assertSuccess(answer);
    return answer;
  } catch (error) {
    throw isMissing(context.manifest, error) ? withoutControlPlane(context) : error;
  }
}

/** The pages of a list of the control plane. */
export function controlPages(context: Context, path: string, filters: Filters): PageSource {
  return async (query) => asPage(await callControl(context, 'GET', path, { query: { ...filters, ...query } }));
}

/** What would be sent. */
export function controlPlan({ sources }: Context, method: string, path: string, query: Filters = {}): Plan {
  return { method, url: baseUrlOf(sources).replace(/\/+$/, '') + path + queryString(query) };
}

/** A list of these columns, of which a table shows the first few. */
export function shapeOf(columns: readonly string[], main: number): ListShape {
  const properties = Object.fromEntries(columns.map((column) => [column, {}]));
  return { schema: { properties }, main: columns.slice(0, main) };
}

/** Nothing answers there; that a group or a session is not known is something else. */
export function isMissing(table: ErrorTable, error: unknown): boolean {
  return error instanceof ClientError && error.status === 404 && categoryOf(table, error) !== 'not-found';
}

function withoutControlPlane({ sources }: Context): CliError {
  return new CliError(`The server at ${baseUrlOf(sources)} has no control plane, or one that lacks this.`, {
    code: 'CONTROL_PLANE_MISSING',
    exitCode: 3,
    fix: 'Ask a server that was started without --no-control.',
  });
}

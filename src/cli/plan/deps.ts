/**
 * Dependencies of the plan commands. The plan code is a separate bundle file with its own copies of the error classes,
 * so errors are created and classified here.
 */

import { ClientError } from '../../client/errors.ts';
import { asPage, assertSuccess } from '../../client/response.ts';
import type { CallInput, ResultPage, Scalar } from '../../client/types.ts';
import { decodeToken } from '../auth/decode-token.ts';
import { assertChangeLimit } from '../config/safety.ts';
import type { CommandOptions, Context } from '../context.ts';
import { CliError, type CliErrorOptions, QuietExit, usageError } from '../errors.ts';
import { requireSendableCredentials, resolveBaseUrl } from '../http/connection.ts';
import { readText } from '../io/input.ts';
import { assertConfirmed, type ConfirmOptions } from '../request/confirm.ts';
import { isRouteMissing } from '../request/control-plane.ts';
import { getCurrentToken } from '../request/current-token.ts';
import { getOperation } from '../request/find-operation.ts';
import { send } from '../request/send.ts';

export type Yaml = typeof import('../io/yaml.ts');

/** A response, or an API error that the caller may expect; other errors are thrown. */
export interface CallResult {
  readonly body: unknown;
  readonly etag?: string | undefined;
  /** Error code, and the error to throw if it was not expected. */
  readonly code?: string | undefined;
  readonly failure?: unknown;
}

export type QueryParams = Readonly<Record<string, Scalar | undefined>>;

export interface PlanDeps {
  readonly context: Context;
  readonly baseUrl: string;
  readonly yaml: Yaml;
  call(id: string, input?: CallInput): Promise<CallResult>;
  /** Reads a page of a list operation. */
  readPage(id: string, input: CallInput): Promise<ResultPage<unknown>>;
  /** Reads a page from the control plane; undefined if the server has none. */
  readControlPage(path: string, query: QueryParams): Promise<ResultPage<unknown> | undefined>;
  /** Returns the claims of the current access token; undefined for an API key. */
  readClaims(): Promise<Readonly<Record<string, unknown>> | undefined>;
  readText(file: string): Promise<string>;
  failure(message: string, details: CliErrorOptions): Error;
  usage(message: string, hint?: string, lines?: readonly string[]): Error;
  /** Ends the run with this exit code and no message. */
  quietExit(code: number): Error;
  /** Prompts for confirmation, or for a name to be typed. @throws CliError if it is denied */
  confirm(question: string, options: CommandOptions, stdinIsData: boolean, severity?: ConfirmOptions): Promise<void>;
  /** @throws CliError if the count exceeds the limit of max-changes */
  requireChanges(count: number): void;
  /** Returns a function that colours lines by their mark (+, -, ~). */
  createPainter(): Promise<(line: string) => string>;
}

/** Creates the dependencies of a run. */
export async function createPlanDeps(context: Context): Promise<PlanDeps> {
  const signedIn = requireSendableCredentials(context.settings);
  return {
    context,
    baseUrl: resolveBaseUrl(context.settings),
    yaml: await import('../io/yaml.ts'),
    call: (id, input = {}) => callOperation(context, id, input),
    readPage: async (id, input) => asPage(await send(context, getOperation(context.manifest, id), input)),
    readControlPage: (path, query) => readControlPage(context, path, query),
    readClaims: async () => {
      const token = await getCurrentToken(context, signedIn);
      return token === undefined ? undefined : decodeClaims(token);
    },
    readText: (file) => readText(file, context.io),
    failure: (message, details) => new CliError(message, details),
    usage: usageError,
    quietExit: (code) => new QuietExit(code),
    confirm: (...args) => assertConfirmed(context, ...args),
    requireChanges: (count) => assertChangeLimit(context.settings, count),
    createPainter: async () => {
      const { createColours: colours } = await import('../io/colour.ts');
      const paint = colours(context.io.stdout, context.environment, context.color);
      const colourOf: Readonly<Record<string, (text: string) => string>> = {
        '+': paint.green,
        '-': paint.red,
        '~': paint.magenta,
      };
      return (line) => colourOf[line.trimStart().slice(0, 1)]?.(line) ?? line;
    },
  };
}

async function callOperation(context: Context, id: string, input: CallInput): Promise<CallResult> {
  try {
    const { body, headers } = await send(context, getOperation(context.manifest, id), input);
    return { body, etag: headers.etag };
  } catch (failure) {
    if (failure instanceof ClientError) return { body: undefined, code: failure.code, failure };
    throw failure;
  }
}

async function readControlPage(
  context: Context,
  path: string,
  query: QueryParams,
): Promise<ResultPage<unknown> | undefined> {
  const client = await context.connect();
  const response = await client.raw('GET', path, { query, signal: context.io.signal });
  try {
    assertSuccess(response);
    return asPage(response);
  } catch (error) {
    if (isRouteMissing(context.manifest, error)) return undefined;
    throw error;
  }
}

function decodeClaims(token: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return decodeToken(token).claims;
  } catch {
    // An opaque token has no readable claims, but the server may accept it.
    return undefined;
  }
}

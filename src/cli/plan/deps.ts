/**
 * What provisioning is given by the command around it. Its own code is a file of its own in the bundle, where classes of
 * errors would be others than those that the command knows: so they are made, and told apart, here.
 */

import { ClientError } from '../../client/errors.ts';
import { asPage, assertSuccess } from '../../client/response.ts';
import type { CallInput, ResultPage, Scalar } from '../../client/types.ts';
import type { CommandOptions } from '../command.ts';
import { getCurrentToken } from '../commands/current-token.ts';
import { decodeToken } from '../commands/decode-token.ts';
import { isRouteMissing } from '../control-plane.ts';
import { getOperation } from '../find-operation.ts';
import { requireSendableCredentials, resolveBaseUrl } from '../runtime/connection.ts';
import type { Context } from '../runtime/context.ts';
import { CliError, type CliErrorOptions, QuietExit, usageError } from '../runtime/errors.ts';
import { readText } from '../runtime/input.ts';
import { assertChangeLimit } from '../runtime/safety.ts';
import { assertConfirmed, type ConfirmOptions, send } from '../send.ts';

export type Yaml = typeof import('../runtime/yaml.ts');

/** An answer, or a refusal that the caller may expect; everything else is thrown. */
export interface CallResult {
  readonly body: unknown;
  readonly etag?: string | undefined;
  /** Code of the refusal, and the failure to throw where it was not expected. */
  readonly code?: string | undefined;
  readonly failure?: unknown;
}

export type QueryParams = Readonly<Record<string, Scalar | undefined>>;

export interface PlanDeps {
  readonly context: Context;
  readonly baseUrl: string;
  readonly yaml: Yaml;
  call(id: string, input?: CallInput): Promise<CallResult>;
  /** A page of an operation that lists. */
  readPage(id: string, input: CallInput): Promise<ResultPage<unknown>>;
  /** A page of the control plane; nothing where the server has none. */
  readControlPage(path: string, query: QueryParams): Promise<ResultPage<unknown> | undefined>;
  /** What the token in use says; nothing with an API key. */
  readClaims(): Promise<Readonly<Record<string, unknown>> | undefined>;
  readText(file: string): Promise<string>;
  failure(message: string, details: CliErrorOptions): Error;
  usage(message: string, hint?: string, lines?: readonly string[]): Error;
  /** Ends the run with this code and without a word more. */
  quietExit(code: number): Error;
  /** Asks yes or no, or for a name to be typed where that is too little; throws where it is no. */
  confirm(question: string, options: CommandOptions, stdinIsData: boolean, severity?: ConfirmOptions): Promise<void>;
  /** Throws where one command may not make so many changes. */
  requireChanges(count: number): void;
  /** Paints a line that adds, changes or removes. */
  createPainter(): Promise<(line: string) => string>;
}

/** The tools of a run. */
export async function createPlanDeps(context: Context, colour: string | undefined): Promise<PlanDeps> {
  const signedIn = requireSendableCredentials(context.sources);
  return {
    context,
    baseUrl: resolveBaseUrl(context.sources),
    yaml: await import('../runtime/yaml.ts'),
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
    requireChanges: (count) => assertChangeLimit(context.sources, count),
    createPainter: async () => {
      const { createColours: colours } = await import('../runtime/colour.ts');
      const paint = colours(context.io.stdout, context.environment, colour);
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
  const answer = await client.raw('GET', path, { query, signal: context.io.signal });
  try {
    assertSuccess(answer);
    return asPage(answer);
  } catch (error) {
    if (isRouteMissing(context.manifest, error)) return undefined;
    throw error;
  }
}

function decodeClaims(token: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return decodeToken(token).claims;
  } catch {
    // A token that is no JWT tells nothing; the server knows it all the same.
    return undefined;
  }
}

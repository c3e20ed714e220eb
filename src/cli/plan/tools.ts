/**
 * What provisioning is given by the command around it. Its own code is a file of its own in the bundle, where classes of
 * errors would be others than those that the command knows: so they are made, and told apart, here.
 */

import { asPage, assertSuccess } from '../../client/answer.ts';
import { ClientError } from '../../client/errors.ts';
import type { CallInput, ResultPage, Scalar } from '../../client/types.ts';
import { tokenInUse } from '../commands/token-in-use.ts';
import { decodeToken } from '../commands/token-text.ts';
import { isMissing } from '../control.ts';
import type { Options } from '../leaf.ts';
import { operationOf } from '../operations.ts';
import { baseUrlOf, requireSignIn } from '../runtime/connection.ts';
import type { Context } from '../runtime/context.ts';
import { CliError, type FailureDetails, QuietExit, usageError } from '../runtime/failures.ts';
import { readText } from '../runtime/input.ts';
import { requireChanges } from '../runtime/safety.ts';
import { confirmed, type Severity, send } from '../send.ts';

export type Yaml = typeof import('../runtime/yaml.ts');

/** An answer, or a refusal that the caller may expect; everything else is thrown. */
export interface Reply {
  readonly body: unknown;
  readonly etag?: string | undefined;
  /** Code of the refusal, and the failure to throw where it was not expected. */
  readonly code?: string | undefined;
  readonly failure?: unknown;
}

export type Query = Readonly<Record<string, Scalar | undefined>>;

export interface Tools {
  readonly context: Context;
  readonly baseUrl: string;
  readonly yaml: Yaml;
  call(id: string, input?: CallInput): Promise<Reply>;
  /** A page of an operation that lists. */
  page(id: string, input: CallInput): Promise<ResultPage<unknown>>;
  /** A page of the control plane; nothing where the server has none. */
  control(path: string, query: Query): Promise<ResultPage<unknown> | undefined>;
  /** What the token in use says; nothing with an API key. */
  claims(): Promise<Readonly<Record<string, unknown>> | undefined>;
  readText(file: string): Promise<string>;
  failure(message: string, details: FailureDetails): Error;
  usage(message: string, fix?: string, lines?: readonly string[]): Error;
  /** Ends the run with this code and without a word more. */
  quietExit(code: number): Error;
  /** Asks yes or no, or for a name to be typed where that is too little; throws where it is no. */
  confirm(question: string, options: Options, stdinIsData: boolean, severity?: Severity): Promise<void>;
  /** Throws where one command may not make so many changes. */
  requireChanges(count: number): void;
  /** Paints a line that adds, changes or removes. */
  painter(): Promise<(line: string) => string>;
}

/** The tools of a run. */
export async function toolsOf(context: Context, colour: string | undefined): Promise<Tools> {
  const signedIn = requireSignIn(context.sources);
  return {
    context,
    baseUrl: baseUrlOf(context.sources),
    yaml: await import('../runtime/yaml.ts'),
    call: (id, input = {}) => callWith(context, id, input),
    page: async (id, input) => asPage(await send(context, operationOf(context.manifest, id), input)),
    control: (path, query) => controlPage(context, path, query),
    claims: async () => {
      const token = await tokenInUse(context, signedIn);
      return token === undefined ? undefined : readable(token);
    },
    readText: (file) => readText(file, context.io),
    failure: (message, details) => new CliError(message, details),
    usage: usageError,
    quietExit: (code) => new QuietExit(code),
    confirm: (...asked) => confirmed(context, ...asked),
    requireChanges: (count) => requireChanges(context.sources, count),
    painter: async () => {
      const { colours } = await import('../runtime/colour.ts');
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

async function callWith(context: Context, id: string, input: CallInput): Promise<Reply> {
  try {
    const { body, headers } = await send(context, operationOf(context.manifest, id), input);
    return { body, etag: headers.etag };
  } catch (failure) {
    if (failure instanceof ClientError) return { body: undefined, code: failure.code, failure };
    throw failure;
  }
}

async function controlPage(context: Context, path: string, query: Query): Promise<ResultPage<unknown> | undefined> {
  const client = await context.connect();
  const answer = await client.raw('GET', path, { query, signal: context.io.signal });
  try {
    assertSuccess(answer);
    return asPage(answer);
  } catch (error) {
    if (isMissing(context.manifest, error)) return undefined;
    throw error;
  }
}

function readable(token: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return decodeToken(token).claims;
  } catch {
    // A token that is no JWT tells nothing; the server knows it all the same.
    return undefined;
  }
}

/** `--query`: filters a result with a JMESPath expression. Loaded only by runs with this option. */
import { compile, type InputSignature, TreeInterpreter } from '@jmespath-community/jmespath';
import { findNearest } from '../../lib/nearest-name.ts';
import { CliError, queryFailedCode, usageError } from '../errors.ts';

/** Returns the matches of the expression in a value, or null. */
export type ResultQuery = (value: unknown) => unknown;

/**
 * Compiles the expression, so that syntax errors, unknown functions and wrong numbers of arguments are reported before a
 * request is sent.
 * @throws CliError (exit 2); so does the query if a function gets a value of another type
 */
export function compileQuery(expression: string): ResultQuery {
  const tree = attempt(() => compile(expression), invalidQueryError);
  assertCallable(tree);
  return (value) =>
    attempt(
      () => TreeInterpreter.search(tree, JSON.parse(JSON.stringify(value ?? null))),
      (reason) =>
        new CliError(`--query does not fit the result: ${reason}.`, {
          code: queryFailedCode,
          exitCode: 2,
          hint: 'Print the result without --query to see its form. See `iam help output`.',
        }),
    );
}

/** @throws CliError (exit 2) if a function of the expression does not exist or has another number of arguments */
function assertCallable(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const { type, name, children } = node as { type?: unknown; name?: unknown; children?: unknown };
  if (type === 'Function') assertKnownFunction(String(name), (children as unknown[]).length);
  for (const below of Object.values(node)) assertCallable(below);
}

function assertKnownFunction(name: string, count: number): void {
  const functions = TreeInterpreter.runtime._functionTable;
  const signature = Object.hasOwn(functions, name) ? functions[name]?._signature : undefined;
  if (signature === undefined) {
    const near = findNearest(name, Object.keys(functions));
    throw invalidQueryError(`unknown function ${name}()${near === undefined ? '' : `; did you mean ${near}()?`}`);
  }
  const [least, most] = countArguments(signature);
  if (count >= least && count <= most) return;
  const limits =
    least === most ? String(least) : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
  throw invalidQueryError(`${name}() takes ${limits} argument${limits === '1' ? '' : 's'}, not ${count}`);
}

function countArguments(signature: readonly InputSignature[]): readonly [least: number, most: number] {
  const least = signature.filter(({ optional }) => !optional).length;
  return [least, signature.at(-1)?.variadic ? Number.POSITIVE_INFINITY : signature.length];
}

function invalidQueryError(reason: string): CliError {
  const end = reason.endsWith('?') ? '' : '.';
  return usageError(`--query is not a valid JMESPath expression: ${reason}${end}`, 'See `iam help output`.');
}

function attempt<Result>(work: () => Result, failure: (reason: string) => CliError): Result {
  try {
    return work();
  } catch (error) {
    throw failure((error as Error).message.replace(/\.$/, ''));
  }
}

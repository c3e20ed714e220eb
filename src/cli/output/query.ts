/** `--query`: filters a result with a JMESPath expression. Loaded only by runs with this option. */
import { compile, TreeInterpreter } from '@jmespath-community/jmespath';
import { CliError, usageError } from '../errors.ts';

/** Returns the matches of the expression in a value, or null. */
export type ResultQuery = (value: unknown) => unknown;

/**
 * Compiles the expression, so that a syntax error is reported before a request is sent.
 * @throws CliError (exit 2) for a syntax error; the query throws (exit 70) if a function gets an invalid argument
 */
export function compileQuery(expression: string): ResultQuery {
  const tree = attempt(
    () => compile(expression),
    (reason) => usageError(`--query is not a valid JMESPath expression: ${reason}.`, 'See `iam help output`.'),
  );
  return (value) =>
    attempt(
      () => TreeInterpreter.search(tree, JSON.parse(JSON.stringify(value ?? null))),
      (reason) =>
        new CliError(`--query cannot be applied to the result: ${reason}.`, { code: 'QUERY_FAILED', exitCode: 70 }),
    );
}

function attempt<Result>(work: () => Result, failure: (reason: string) => CliError): Result {
  try {
    return work();
  } catch (error) {
    throw failure((error as Error).message.replace(/\.$/, ''));
  }
}

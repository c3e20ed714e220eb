/** `--query`: a part of a result, chosen by a JMESPath expression. */
import { CliError, usageError } from './errors.ts';

/** Gives what the expression finds in a value; null where it finds nothing. */
export type ResultQuery = (value: unknown) => unknown;

/**
 * Reads the expression, so that a mistake in it is told before anything is sent.
 * @throws CliError for wrong usage; and from the query itself where a function does not take what it is given
 */
export async function compileQuery(expression: string): Promise<ResultQuery> {
  const { compile, TreeInterpreter } = await import('./jmespath.ts');
  const tree = attempt(
    () => compile(expression),
    (reason) => usageError(`--query is not a JMESPath expression: ${reason}.`, 'See `iam help output`.'),
  );
  return (value) =>
    attempt(
      () => TreeInterpreter.search(tree, JSON.parse(JSON.stringify(value ?? null))),
      (reason) => new CliError(`--query does not fit the result: ${reason}.`, { code: 'QUERY_FAILED', exitCode: 1 }),
    );
}

function attempt<Result>(work: () => Result, failure: (reason: string) => CliError): Result {
  try {
    return work();
  } catch (error) {
    throw failure((error as Error).message.replace(/\.$/, ''));
  }
}

/** What to do after a write whose outcome the server does not know. */
import { ClientError } from '../../client/errors.ts';
import type { CallInput } from '../../client/types.ts';
import type { Manifest, ManifestOperation } from '../../contract/manifest-types.ts';
import { categoryOf, HintedClientError } from '../errors.ts';
import { singleQuote } from '../http/curl.ts';
import { commandOfOperation } from './operation-names.ts';

/** Adds the command that reads what the request changes. Other errors are returned unchanged. */
export function explainUnknownOutcome(
  manifest: Manifest,
  operation: ManifestOperation,
  { params = {} }: CallInput,
  error: unknown,
): unknown {
  if (!(error instanceof ClientError) || categoryOf(manifest, error) !== 'outcome-unknown') return error;
  const read = findRead(manifest, operation);
  if (!read) return error;
  const words = read.params.map(({ name }) => quoteIfNeeded(String(params[name])));
  const command = ['iam', commandOfOperation(read), ...words].join(' ');
  return new HintedClientError(error, `See whether it was made with \`${command}\` before you send it again.`);
}

/** The operation with a command that reads the same object, or else the nearest one that contains it. */
function findRead({ operations }: Manifest, { path }: ManifestOperation): ManifestOperation | undefined {
  const reads = operations.filter(
    (one) =>
      one.method === 'GET' && commandOfOperation(one) !== undefined && (one.path === path || contains(one.path, path)),
  );
  return reads.sort((one, other) => other.path.length - one.path.length)[0];
}

function contains(outer: string, inner: string): boolean {
  return inner.startsWith(`${outer}/`);
}

/** For a shell of the reader. */
function quoteIfNeeded(text: string): string {
  return /^[\w.@:-]+$/.test(text) ? text : singleQuote(text);
}

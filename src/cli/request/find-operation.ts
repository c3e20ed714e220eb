/** Finds operations, and the closest name to a mistyped one. */
import type { Manifest, ManifestOperation } from '../../contract/manifest-types.ts';
import { usageError } from '../errors.ts';
import { routeAt } from '../http/redact.ts';

/** Returns the operation with this id. @throws CliError (exit 2) if it is unknown */
export function getOperation(manifest: Manifest, id: string): ManifestOperation {
  const found = manifest.operations.find((operation) => operation.id === id);
  if (found) return found;
  const ids = manifest.operations.map((operation) => operation.id);
  const near = findNearest(id, ids);
  throw usageError(
    `Operation ${JSON.stringify(id)} not found.${near ? ` Did you mean ${near}?` : ''}`,
    'List operations with `iam commands`.',
  );
}

/** The operation that serves a request; undefined if none does. */
export function matchOperation(
  { operations, prefix }: Manifest,
  method: string,
  path: string,
): ManifestOperation | undefined {
  const [target = ''] = path.split('?');
  const below = target.startsWith(prefix) ? target.slice(prefix.length) : target;
  return routeAt(operations, method, below);
}

/** The candidate with the smallest edit distance, if small enough for a typing error. */
export function findNearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, far: levenshteinDistance(word, candidate) }))
    .sort((a, b) => a.far - b.far);
  const [best] = ranked;
  return best && best.far <= Math.max(2, word.length / 3) ? best.candidate : undefined;
}

/** Levenshtein distance, computed row by row. */
function levenshteinDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (const [column, other] of [...b].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

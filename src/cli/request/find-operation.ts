/** Finds operations by id and by request. */
import type { Manifest, ManifestOperation } from '../../contract/manifest-types.ts';
import { findNearest } from '../../contract/nearest-name.ts';
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

/**
 * Refuses the folder of a store that another user made or can write: its keys and administrators would be that user's. The
 * files are examined, too, as a volume that is writable for all can contain files of every user.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { FileTrust } from '../../../lib/file-trust.ts';
import { StoreOpenError } from '../open-error.ts';

/** @throws StoreOpenError 'not-trusted'. A folder that does not exist is trusted. */
export function assertTrustedFolder(folder: string, trust: FileTrust): void {
  const files = listNames(folder).map((name) => path.join(folder, name));
  const problem = trust.findProblem([folder, ...files], 'data', folder);
  if (problem === undefined) return;
  const { message, hint, file } = problem;
  throw new StoreOpenError('not-trusted', `${message}; the store is not opened. ${hint}.`, { file });
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Opening the store reports why it cannot be read.
    return [];
  }
}

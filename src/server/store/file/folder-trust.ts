/** Refuses the folder of a store that another user made or can write: its keys and administrators would be that user's. */
import type { FileTrust } from '../../../lib/file-trust.ts';
import { StoreOpenError } from '../open-error.ts';

/** @throws StoreOpenError 'not-trusted'. A folder that does not exist is trusted. */
export function assertTrustedFolder(folder: string, trust: FileTrust): void {
  const problem = trust.findFolderProblem(folder, 'data');
  if (problem === undefined) return;
  const { message, hint, file } = problem;
  throw new StoreOpenError('not-trusted', `${message}; the store is not opened. ${hint}.`, { file });
}

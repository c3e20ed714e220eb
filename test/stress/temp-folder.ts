/** A temporary folder per suite, for stores on the real disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Calls `work` with the path of a folder that does not exist yet, and removes its parent afterwards. */
export async function withTempFolder<Result>(
  work: (store: string, parent: string) => Promise<Result>,
): Promise<Result> {
  const parent = mkdtempSync(path.join(os.tmpdir(), 'iam-stress-'));
  try {
    return await work(path.join(parent, 'store'), parent);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

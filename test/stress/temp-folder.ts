/** A folder of a suite's own, for stores on the disk of this machine. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Hands a folder that does not exist yet to `work`, and removes all of it afterwards. */
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

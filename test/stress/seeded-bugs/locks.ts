/** Seeded bugs in the lock of the store. */
import { readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { layoutOf } from '../../../src/server/store/file/layout.ts';
import type { Processes } from '../../../src/server/store/file/processes.ts';

/** Descriptions of the bugs, as `--help` shows them. */
export const lockBugs = {
  'share-store': 'the lock of another process is ignored',
  'lock-by-age': 'a holder that has not touched its lock for a few seconds is treated as dead',
  'lock-for-good': 'a dead holder is treated as running',
  'unlock-when-denied': 'a process that is denied the store removes the lock of the holder',
} as const;

/** Long enough for a busy holder. */
const DEAD_AFTER_MS = 5_000;
const TOUCH_EVERY_MS = 500;

/** Returns the processes as a server with the bug sees them; any other name returns them unchanged. */
export function seedProcessBug(processes: Processes, seededBug: string | undefined, folder: string): Processes {
  const { lock } = layoutOf(folder);
  // These bugs are in the lock file, so the lock that is bound to the process is disabled.
  const fileOnly: Processes = { ...processes, acquire: async () => 'unsupported' };
  switch (seededBug) {
    case 'share-store':
      return { ...fileOnly, isRunning: async () => false };
    case 'lock-by-age':
      setInterval(() => touchOwnLock(lock), TOUCH_EVERY_MS).unref();
      return { ...fileOnly, isRunning: async () => Date.now() - statSync(lock).mtimeMs < DEAD_AFTER_MS };
    case 'lock-for-good':
      return { ...fileOnly, isRunning: async () => true };
    case 'unlock-when-denied':
      return {
        ...fileOnly,
        async isRunning(identity) {
          const running = await processes.isRunning(identity);
          if (running) rmSync(lock);
          return running;
        },
      };
    default:
      return processes;
  }
}

function touchOwnLock(lock: string): void {
  try {
    const { pid } = JSON.parse(readFileSync(lock, 'utf8')) as { pid: number };
    if (pid === process.pid) utimesSync(lock, new Date(), new Date());
  } catch {
    // Another process is writing the lock.
  }
}

/** Defects in how one process keeps others out of its store. */
import { readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { layoutOf } from '../../../src/server/store/json/layout.ts';
import type { Processes } from '../../../src/server/store/json/processes.ts';

/** What each defect does, in the words of `--help`. */
export const lockBugs = {
  'share-store': 'the lock of another process is ignored',
  'lock-by-age': 'a holder that did not touch its lock for a few seconds is taken for dead',
  'lock-for-good': 'a holder that is gone is taken to run still',
  'unlock-when-refused': 'who is refused the store removes the lock of its holder',
} as const;

/** Long enough for a holder that is busy. */
const DEAD_AFTER_MS = 5_000;
const TOUCH_EVERY_MS = 500;

/** The processes as a server with the defect sees them; with any other defect they are the same. */
export function seedProcessBug(processes: Processes, seededBug: string | undefined, folder: string): Processes {
  const { lock } = layoutOf(folder);
  // Who goes by the file alone does without the name that goes with a process.
  const fileOnly: Processes = { ...processes, acquire: async () => 'unsupported' };
  switch (seededBug) {
    case 'share-store':
      return { ...fileOnly, isRunning: async () => false };
    case 'lock-by-age':
      setInterval(() => touchOwnLock(lock), TOUCH_EVERY_MS).unref();
      return { ...fileOnly, isRunning: async () => Date.now() - statSync(lock).mtimeMs < DEAD_AFTER_MS };
    case 'lock-for-good':
      return { ...fileOnly, isRunning: async () => true };
    case 'unlock-when-refused':
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
    // It is being taken.
  }
}

/**
 * npm does not forward signals: SIGTERM to `npm start` ends only npm and its shell. This watches for their end, so that
 * no server stays behind with the port and the store.
 */
import process from 'node:process';
import { isAlive, parentOf } from './processes.mjs';

const pause = 250;

/** Calls `onExit` when npm or its shell has ended. Does nothing if npm did not start this process. */
export function watchParents(onExit, environment = process.env) {
  if (environment.npm_lifecycle_event === undefined || process.platform === 'win32') return;
  const parent = process.ppid;
  // npm runs scripts through a shell, which may stay as a separate process or be replaced by this one (exec).
  const watched = [parentOf(parent)].filter((pid) => pid !== undefined && pid > 1);
  const timer = setInterval(() => {
    if (process.ppid !== parent || !watched.every(isAlive)) onExit();
  }, pause);
  timer.unref();
}

/** The folder of what can't be made again: records and logs that commands leave on this machine. */
import os from 'node:os';
import path from 'node:path';
import type { Environment } from './io.ts';

/** The folder of state by the XDG rules; by those a relative one is to be ignored. */
export function getStateFolder({ XDG_STATE_HOME: named, HOME }: Environment['variables']): string {
  const state = named && path.isAbsolute(named) ? named : path.join(HOME || os.homedir(), '.local', 'state');
  return path.join(state, 'iam');
}

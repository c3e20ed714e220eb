/** The folder for state: records and logs that cannot be recreated. */
import os from 'node:os';
import path from 'node:path';
import type { Environment } from './io.ts';

/** The state folder (XDG Base Directory). Relative paths are ignored, as the specification requires. */
export function getStateFolder({ XDG_STATE_HOME: named, HOME }: Environment['variables']): string {
  const state = named && path.isAbsolute(named) ? named : path.join(HOME || os.homedir(), '.local', 'state');
  return path.join(state, 'iam');
}

/** `iam server`: the server in the background. */
import type { Command } from 'commander';
import type { Surroundings } from '../../runtime/context.ts';
import { addLogs } from './logs.ts';
import { addStart } from './start.ts';
import { addStatus } from './status.ts';
import { addStop } from './stop.ts';

/** Adds the commands of the noun. */
export function addServer(noun: Command, surroundings: Surroundings): void {
  addStart(noun, surroundings);
  addStop(noun, surroundings);
  addStatus(noun, surroundings);
  addLogs(noun, surroundings);
}

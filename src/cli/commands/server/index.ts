/** The hand-written subcommands of `iam server`. */
import type { Command } from 'commander';
import type { CliRuntime } from '../../context.ts';
import { addLogs } from './logs.ts';
import { addStart } from './start.ts';
import { addStatus } from './status.ts';
import { addStop } from './stop.ts';

export function addServer(noun: Command, runtime: CliRuntime): void {
  addStart(noun, runtime);
  addStop(noun, runtime);
  addStatus(noun, runtime);
  addLogs(noun, runtime);
}

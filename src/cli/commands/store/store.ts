/** `iam store`: verifies, repairs, backs up and restores store files. */
import type { Command } from 'commander';
import type { CliRuntime } from '../../context.ts';
import { addStoreBackup, addStoreRestore } from './backup.ts';
import { addStoreRepair } from './repair.ts';
import { addStoreVerify } from './verify.ts';

/** Adds the `store` subcommands. */
export function addStore(noun: Command, runtime: CliRuntime): void {
  addStoreVerify(noun, runtime);
  addStoreRepair(noun, runtime);
  addStoreBackup(noun, runtime);
  addStoreRestore(noun, runtime);
}

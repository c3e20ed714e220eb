/** The hand-written subcommands of `iam store`. */
import type { Command } from 'commander';
import type { CliRuntime } from '../../context.ts';
import { addStoreBackup, addStoreRestore } from './backup.ts';
import { addStoreCopy } from './copy.ts';
import { addStoreInit, addStoreMigrate } from './init.ts';
import { addStoreRepair } from './repair.ts';
import { addStoreVerify } from './verify.ts';

export function addStore(noun: Command, runtime: CliRuntime): void {
  addStoreVerify(noun, runtime);
  addStoreRepair(noun, runtime);
  addStoreBackup(noun, runtime);
  addStoreRestore(noun, runtime);
  addStoreCopy(noun, runtime);
  addStoreInit(noun, runtime);
  addStoreMigrate(noun, runtime);
}

/** The hand-written subcommands of `iam state`. */
import type { Command } from 'commander';
import type { CliRuntime } from '../../context.ts';
import { addStateDiff } from './diff.ts';
import { addStateReset } from './reset.ts';
import { addStateSeed } from './seed.ts';
import { addSnapshotDelete, addSnapshotList, addSnapshotRestore, addSnapshotSave } from './snapshots.ts';
import { addStateExport, addStateImport } from './state-dump.ts';

export function addState(noun: Command, runtime: CliRuntime): void {
  addStateReset(noun, runtime);
  addStateSeed(noun, runtime);
  addSnapshotSave(noun, runtime);
  addSnapshotRestore(noun, runtime);
  addSnapshotList(noun, runtime);
  addSnapshotDelete(noun, runtime);
  addStateDiff(noun, runtime);
  addStateExport(noun, runtime);
  addStateImport(noun, runtime);
}

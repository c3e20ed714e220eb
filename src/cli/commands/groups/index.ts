/** The hand-written subcommands of `iam groups`. */
import type { Command } from 'commander';
import type { CliRuntime } from '../../context.ts';
import { addControlSearch, addGroupsMembers } from '../control-lists.ts';
import { addGroupsTree } from './tree.ts';

export function addGroups(noun: Command, runtime: CliRuntime): void {
  addControlSearch(noun, runtime);
  addGroupsTree(noun, runtime);
  addGroupsMembers(noun, runtime);
}

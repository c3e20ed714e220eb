/** `iam state save`, `restore`, `list` and `delete`: manages snapshots in the memory of the server. */
import type { Command } from 'commander';
import { reference } from '../../../contract/entities.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { controlPlaneNote } from '../../request/control-plane.ts';
import { printControlList, removeTargets, sendControlWrite } from '../../request/control-requests.ts';
import { createdBy } from '../../request/created-entity.ts';
import { addListOptions } from '../../request/pagination.ts';
import { addSeveralHelp } from '../../request/several-targets.ts';
import { confirmReplacement, durableStoreNote } from './confirm-replacement.ts';

const snapshots = '/_iam/state/snapshots';

const memoryNote = 'Snapshots are stored in server memory and are lost on restart.';

export function addSnapshotSave(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'save', {
    title: 'Save the state as a snapshot',
    description: `${memoryNote} ${controlPlaneNote}`,
    effect: 'write',
    idempotent: true,
    examples: [
      { title: 'Save a snapshot', command: 'before' },
      { title: 'Replace an existing snapshot', command: 'before --replace' },
    ],
  })
    .argument('<name>', 'Name of the snapshot')
    .option('--replace', 'replace an existing snapshot with this name');
  declareValueSources(command, { name: reference('snapshot', ['name']) });
  setAction(command, runtime, (context, [name], options) => {
    const body = { name, ...(options.replace === true ? { replace: true } : {}) };
    const created = () => createdBy('state delete', String(name));
    return sendControlWrite(context, options, { method: 'POST', path: snapshots, body, created, done: '' });
  });
}

export function addSnapshotRestore(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'restore', {
    title: 'Restore a snapshot',
    description: `Discards all changes since the snapshot was saved. ${durableStoreNote} ${memoryNote} ${controlPlaneNote}`,
    effect: 'destructive',
    idempotent: true,
    examples: [{ title: 'Restore without a prompt', command: 'before --yes' }],
  }).argument('<name>', 'Name of the snapshot');
  declareValueSources(command, { name: reference('snapshot', ['name']) });
  setAction(command, runtime, (context, [name], options) =>
    sendControlWrite(context, options, {
      method: 'POST',
      path: `${snapshotPath(name)}/restore`,
      confirm: (look) =>
        confirmReplacement(context, `Discard all changes since the snapshot ${name} was saved?`, options, look),
      done: `Restored ${name}.`,
    }),
  );
}

export function addSnapshotList(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'list', {
    title: 'List snapshots',
    description: `${memoryNote} ${controlPlaneNote}`,
    effect: 'read',
    examples: [{ title: 'List the snapshots', command: '' }],
  }).alias('ls');
  addListOptions(command);
  setAction(command, runtime, (context, _, options) =>
    printControlList(context, options, { path: snapshots, columns: ['name', 'createdAt', 'rows'], main: 3 }),
  );
}

export function addSnapshotDelete(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'delete', {
    title: 'Delete a snapshot',
    description: `Does not change the state of the server. ${controlPlaneNote}`,
    effect: 'destructive',
    idempotent: true,
    examples: [{ title: 'Delete a snapshot', command: 'before' }],
  }).argument('<name...>', 'Name of the snapshot, one or more');
  addSeveralHelp(command, true);
  declareValueSources(command, { name: reference('snapshot', ['name']) });
  setAction(command, runtime, (context, [names = []], options) =>
    removeTargets(
      context,
      options,
      [names].flat(),
      (name) => ({ path: snapshotPath(name), done: `Deleted ${name}.` }),
      (targets) => `Delete the ${targets.length === 1 ? 'snapshot' : 'snapshots'} ${targets.join(', ')}?`,
    ),
  );
}

function snapshotPath(name: unknown): string {
  return `${snapshots}/${encodeURIComponent(String(name))}`;
}

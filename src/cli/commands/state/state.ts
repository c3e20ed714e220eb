/** `iam state`: resets, snapshots, restores and compares the state of a running server. */

import type { Command } from 'commander';
import { reference } from '../../../contract/entities.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import {
  buildListShape,
  callControlPlane,
  controlPlaneNote,
  controlRequestPreview,
  createControlPageSource,
} from '../../request/control-plane.ts';
import { addListOptions, parseListLimits, printPages } from '../../request/pagination.ts';
import { assertConfirmed, printRequestPreview, printResponse } from '../../request/send.ts';
import { addStateExport, addStateImport } from './state-dump.ts';

const snapshots = '/_iam/state/snapshots';
const memoryNote = 'Snapshots are stored in server memory and are lost on restart.';

/** Adds the `state` subcommands. */
export function addState(noun: Command, runtime: CliRuntime): void {
  addResetCommand(noun, runtime);
  addSaveCommand(noun, runtime);
  addRestoreCommand(noun, runtime);
  addListCommand(noun, runtime);
  addDeleteCommand(noun, runtime);
  addDiffCommand(noun, runtime);
  addStateExport(noun, runtime);
  addStateImport(noun, runtime);
}

function addResetCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'reset', {
    title: 'Reset the state to the seed',
    description: `Restores the state after the first start with this seed and discards all later changes. Administrators and signing keys are preserved. ${controlPlaneNote}`,
    effect: 'destructive',
    idempotent: true,
    examples: [
      { title: 'Reset between two tests', command: '--yes' },
      { title: 'Reset without the seed data', command: '--empty' },
    ],
  }).option('--empty', 'reset without the seed data');
  setAction(command, runtime, (context, _, options) => {
    const to = options.empty === true ? 'empty' : 'seed';
    return change(context, options, {
      method: 'POST',
      path: '/_iam/state/reset',
      body: { to },
      confirmation: 'Discard all changes since the first start?',
      done: `Reset to ${to}.`,
    });
  });
}

function addSaveCommand(noun: Command, runtime: CliRuntime): void {
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
  setAction(command, runtime, async (context, [name], options) => {
    const body = { name, ...(options.replace === true ? { replace: true } : {}) };
    if (options.dryRun === true)
      return printRequestPreview(context, { ...controlRequestPreview(context, 'POST', snapshots), body });
    await printResponse(context, (await callControlPlane(context, 'POST', snapshots, { body })).body, '');
  });
}

function addRestoreCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'restore', {
    title: 'Restore a snapshot',
    description: `Discards all changes since the snapshot was saved. ${memoryNote} ${controlPlaneNote}`,
    effect: 'destructive',
    idempotent: true,
    examples: [{ title: 'Restore without a prompt', command: 'before --yes' }],
  }).argument('<name>', 'Name of the snapshot');
  declareValueSources(command, { name: reference('snapshot', ['name']) });
  setAction(command, runtime, (context, [name], options) =>
    change(context, options, {
      method: 'POST',
      path: `${snapshotPath(name)}/restore`,
      confirmation: `Discard all changes since the snapshot ${name} was saved?`,
      done: `Restored ${name}.`,
    }),
  );
}

function addListCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'list', {
    title: 'List snapshots',
    description: `${memoryNote} ${controlPlaneNote}`,
    effect: 'read',
    examples: [{ title: 'List the snapshots', command: '' }],
  }).alias('ls');
  addListOptions(command);
  setAction(command, runtime, (context, _, options) =>
    printPages(
      context,
      createControlPageSource(context, snapshots, {}),
      buildListShape(['name', 'createdAt', 'rows'], 3),
      parseListLimits(options),
    ),
  );
}

function addDeleteCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'delete', {
    title: 'Delete a snapshot',
    description: `Does not change the state of the server. ${controlPlaneNote}`,
    effect: 'destructive',
    idempotent: true,
    examples: [{ title: 'Delete a snapshot', command: 'before' }],
  }).argument('<name>', 'Name of the snapshot');
  declareValueSources(command, { name: reference('snapshot', ['name']) });
  setAction(command, runtime, (context, [name], options) =>
    change(context, options, {
      method: 'DELETE',
      path: snapshotPath(name),
      confirmation: `Delete the snapshot ${name}?`,
      done: `Deleted ${name}.`,
    }),
  );
}

function addDiffCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'diff', {
    title: 'Compare two states',
    description: `Each state is a snapshot name, or now, seed or empty. For secrets only the fact of a change is shown. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'Show changes since the first start', command: '' },
      { title: 'Show changes since a snapshot', command: 'before now' },
      { title: 'Compare two snapshots and print JSON', command: 'before after -o json' },
    ],
  })
    .argument('[from]', 'First state, default seed')
    .argument('[to]', 'Second state, default now');
  setAction(command, runtime, async (context, [from, to]) => {
    const query = { from: from as string | undefined, to: to as string | undefined };
    const { body } = await callControlPlane(context, 'GET', '/_iam/state/diff', { query });
    if (!context.printer.isForPeople) return context.printer.value(body);
    const lines = (body as Difference).tables.flatMap(formatDifference);
    if (lines.length === 0) context.notice('No differences found.');
    else context.printer.lines(lines);
  });
}

interface Difference {
  readonly tables: readonly {
    readonly table: string;
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly { readonly key: string; readonly fields: readonly { readonly field: string }[] }[];
  }[];
}

function formatDifference({ table, added, removed, changed }: Difference['tables'][number]): string[] {
  return [
    ...added.map((key) => `+ ${table} ${key}`),
    ...removed.map((key) => `- ${table} ${key}`),
    ...changed.map(({ key, fields }) => `~ ${table} ${key}: ${fields.map(({ field }) => field).join(', ')}`),
  ];
}

function snapshotPath(name: unknown): string {
  return `${snapshots}/${encodeURIComponent(String(name))}`;
}

interface StateChange {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly confirmation: string;
  readonly done: string;
}

/** Confirms, sends the request and prints the result; with --dry-run only prints the request. */
async function change(
  context: Context,
  options: CommandOptions,
  { method, path, body, confirmation, done }: StateChange,
): Promise<void> {
  const input = body === undefined ? {} : { body };
  if (options.dryRun === true)
    return printRequestPreview(context, { ...controlRequestPreview(context, method, path), ...input });
  await assertConfirmed(context, confirmation, options);
  await printResponse(context, (await callControlPlane(context, method, path, input)).body, done);
}

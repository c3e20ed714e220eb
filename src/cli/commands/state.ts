/** `iam state`: the state of a running server: back to its beginning, kept and brought back under names, compared. */

import type { Command } from 'commander';
import { reference } from '../../contract/entities.ts';
import { addCommand, type CommandOptions, setAction } from '../command.ts';
import {
  buildListShape,
  callControlPlane,
  controlPlaneNote,
  controlRequestPreview,
  createControlPageSource,
} from '../control-plane.ts';
import { addListOptions, parseListLimits, printPages } from '../pagination.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { assertConfirmed, printRequestPreview, printResponse } from '../send.ts';
import { takes } from '../value-sources.ts';
import { addStateExport, addStateImport } from './state-dump.ts';

const snapshots = '/_iam/state/snapshots';
const memoryNote = 'Snapshots are in the memory of the server: a restart ends them.';

/** Adds the commands of the noun. */
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
    title: 'Goes back to what the server had after its first start with this seed',
    description: `Everything that came since is gone. Administrators and signing keys stay. ${controlPlaneNote}`,
    effect: 'destructive',
    idempotent: true,
    examples: [
      { title: 'Between two tests', command: '--yes' },
      { title: 'Without what the seed says', command: '--empty' },
    ],
  }).option('--empty', 'leave out what the seed says');
  setAction(command, runtime, (context, _, options) => {
    const to = options.empty === true ? 'empty' : 'seed';
    return change(context, options, {
      method: 'POST',
      path: '/_iam/state/reset',
      body: { to },
      question: 'Forget everything that came since the beginning?',
      done: `Reset to ${to}.`,
    });
  });
}

function addSaveCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'save', {
    title: 'Keeps the state under a name',
    description: `${memoryNote} ${controlPlaneNote}`,
    effect: 'write',
    idempotent: true,
    examples: [
      { title: 'Before something is tried', command: 'before' },
      { title: 'In the place of the one of this name', command: 'before --replace' },
    ],
  })
    .argument('<name>', 'Name of the snapshot')
    .option('--replace', 'take the place of the snapshot that has the name');
  takes(command, { name: reference('snapshot', ['name']) });
  setAction(command, runtime, async (context, [name], options) => {
    const body = { name, ...(options.replace === true ? { replace: true } : {}) };
    if (options.dryRun === true)
      return printRequestPreview(context, { ...controlRequestPreview(context, 'POST', snapshots), body });
    await printResponse(context, (await callControlPlane(context, 'POST', snapshots, { body })).body, '');
  });
}

function addRestoreCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'restore', {
    title: 'Brings a snapshot back',
    description: `Everything that came since it was saved is gone. ${memoryNote} ${controlPlaneNote}`,
    effect: 'destructive',
    idempotent: true,
    examples: [{ title: 'In a script', command: 'before --yes' }],
  }).argument('<name>', 'Name of the snapshot');
  takes(command, { name: reference('snapshot', ['name']) });
  setAction(command, runtime, (context, [name], options) =>
    change(context, options, {
      method: 'POST',
      path: `${snapshotPath(name)}/restore`,
      question: `Forget everything that came since ${name} was saved?`,
      done: `Restored ${name}.`,
    }),
  );
}

function addListCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'list', {
    title: 'Lists snapshots',
    description: `${memoryNote} ${controlPlaneNote}`,
    effect: 'read',
    examples: [{ title: 'All of them', command: '' }],
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
    title: 'Forgets a snapshot',
    description: `The state of the server stays as it is. ${controlPlaneNote}`,
    effect: 'destructive',
    idempotent: true,
    examples: [{ title: 'One that is not needed any more', command: 'before' }],
  }).argument('<name>', 'Name of the snapshot');
  takes(command, { name: reference('snapshot', ['name']) });
  setAction(command, runtime, (context, [name], options) =>
    change(context, options, {
      method: 'DELETE',
      path: snapshotPath(name),
      question: `Forget the snapshot ${name}?`,
      done: `Deleted ${name}.`,
    }),
  );
}

function addDiffCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'diff', {
    title: 'Tells what parts one state from another',
    description: `Each is a snapshot, or now, seed or empty. Of secrets it tells that they changed, and no more. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'What came since the beginning', command: '' },
      { title: 'What came since a snapshot', command: 'before now' },
      { title: 'Between two snapshots, for a program', command: 'before after -o json' },
    ],
  })
    .argument('[from]', 'The first state; seed where not given')
    .argument('[to]', 'The second state; now where not given');
  setAction(command, runtime, async (context, [from, to]) => {
    const query = { from: from as string | undefined, to: to as string | undefined };
    const { body } = await callControlPlane(context, 'GET', '/_iam/state/diff', { query });
    if (!context.printer.isForPeople) return context.printer.value(body);
    const lines = (body as Difference).tables.flatMap(formatDifference);
    if (lines.length === 0) context.notice('There is no difference.');
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

interface Change {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly question: string;
  readonly done: string;
}

/** Asks, calls, and says that it is done; with --dry-run only what would be sent. */
async function change(
  context: Context,
  options: CommandOptions,
  { method, path, body, question, done }: Change,
): Promise<void> {
  const input = body === undefined ? {} : { body };
  if (options.dryRun === true)
    return printRequestPreview(context, { ...controlRequestPreview(context, method, path), ...input });
  await assertConfirmed(context, question, options);
  await printResponse(context, (await callControlPlane(context, method, path, input)).body, done);
}

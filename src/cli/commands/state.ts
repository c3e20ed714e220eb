/** `iam state`: the state of a running server: back to its beginning, kept and brought back under names, compared. */

import type { Command } from 'commander';
import { reference } from '../../contract/entities.ts';
import { callControl, controlPages, controlPlan, shapeOf, whereFrom } from '../control.ts';
import { addLeaf, type Options, runs } from '../leaf.ts';
import { addExtentOptions, extentOf, printPages } from '../list.ts';
import type { Context, Surroundings } from '../runtime/context.ts';
import { confirmed, printAnswer, printPlan } from '../send.ts';
import { takes } from '../value-sources.ts';
import { addStateExport, addStateImport } from './state-document.ts';

const snapshots = '/_iam/state/snapshots';
const inMemory = 'Snapshots are in the memory of the server: a restart ends them.';

/** Adds the commands of the noun. */
export function addState(noun: Command, surroundings: Surroundings): void {
  addResetCommand(noun, surroundings);
  addSaveCommand(noun, surroundings);
  addRestoreCommand(noun, surroundings);
  addListCommand(noun, surroundings);
  addDeleteCommand(noun, surroundings);
  addDiffCommand(noun, surroundings);
  addStateExport(noun, surroundings);
  addStateImport(noun, surroundings);
}

function addResetCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'reset', {
    title: 'Goes back to what the server had after its first start with this seed',
    description: `Everything that came since is gone. Administrators and signing keys stay. ${whereFrom}`,
    effect: 'destructive',
    idempotent: true,
    examples: [
      { title: 'Between two tests', command: '--yes' },
      { title: 'Without what the seed says', command: '--empty' },
    ],
  }).option('--empty', 'leave out what the seed says');
  runs(command, surroundings, (context, _, options) => {
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

function addSaveCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'save', {
    title: 'Keeps the state under a name',
    description: `${inMemory} ${whereFrom}`,
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
  runs(command, surroundings, async (context, [name], options) => {
    const body = { name, ...(options.replace === true ? { replace: true } : {}) };
    if (options.dryRun === true) return printPlan(context, { ...controlPlan(context, 'POST', snapshots), body });
    await printAnswer(context, (await callControl(context, 'POST', snapshots, { body })).body, '');
  });
}

function addRestoreCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'restore', {
    title: 'Brings a snapshot back',
    description: `Everything that came since it was saved is gone. ${inMemory} ${whereFrom}`,
    effect: 'destructive',
    idempotent: true,
    examples: [{ title: 'In a script', command: 'before --yes' }],
  }).argument('<name>', 'Name of the snapshot');
  takes(command, { name: reference('snapshot', ['name']) });
  runs(command, surroundings, (context, [name], options) =>
    change(context, options, {
      method: 'POST',
      path: `${snapshotPath(name)}/restore`,
      question: `Forget everything that came since ${name} was saved?`,
      done: `Restored ${name}.`,
    }),
  );
}

function addListCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'list', {
    title: 'Lists snapshots',
    description: `${inMemory} ${whereFrom}`,
    effect: 'read',
    examples: [{ title: 'All of them', command: '' }],
  }).alias('ls');
  addExtentOptions(command);
  runs(command, surroundings, (context, _, options) =>
    printPages(
      context,
      controlPages(context, snapshots, {}),
      shapeOf(['name', 'createdAt', 'rows'], 3),
      extentOf(options),
    ),
  );
}

function addDeleteCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'delete', {
    title: 'Forgets a snapshot',
    description: `The state of the server stays as it is. ${whereFrom}`,
    effect: 'destructive',
    idempotent: true,
    examples: [{ title: 'One that is not needed any more', command: 'before' }],
  }).argument('<name>', 'Name of the snapshot');
  takes(command, { name: reference('snapshot', ['name']) });
  runs(command, surroundings, (context, [name], options) =>
    change(context, options, {
      method: 'DELETE',
      path: snapshotPath(name),
      question: `Forget the snapshot ${name}?`,
      done: `Deleted ${name}.`,
    }),
  );
}

function addDiffCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'diff', {
    title: 'Tells what parts one state from another',
    description: `Each is a snapshot, or now, seed or empty. Of secrets it tells that they changed, and no more. ${whereFrom}`,
    effect: 'read',
    examples: [
      { title: 'What came since the beginning', command: '' },
      { title: 'What came since a snapshot', command: 'before now' },
      { title: 'Between two snapshots, for a program', command: 'before after -o json' },
    ],
  })
    .argument('[from]', 'The first state; seed where not given')
    .argument('[to]', 'The second state; now where not given');
  runs(command, surroundings, async (context, [from, to]) => {
    const query = { from: from as string | undefined, to: to as string | undefined };
    const { body } = await callControl(context, 'GET', '/_iam/state/diff', { query });
    if (!context.printer.isForPeople) return context.printer.value(body);
    const lines = (body as Difference).tables.flatMap(linesOf);
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

function linesOf({ table, added, removed, changed }: Difference['tables'][number]): string[] {
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
  options: Options,
  { method, path, body, question, done }: Change,
): Promise<void> {
  const input = body === undefined ? {} : { body };
  if (options.dryRun === true) return printPlan(context, { ...controlPlan(context, method, path), ...input });
  await confirmed(context, question, options);
  await printAnswer(context, (await callControl(context, method, path, input)).body, done);
}

/** `iam sandbox`: whole services beside the main one, for tests that must not meet one another. */

import type { Command } from 'commander';
import { reference } from '../../contract/entities.ts';
import { callControl, controlPages, controlPlan, shapeOf, whereFrom } from '../control.ts';
import { addLeaf, runs } from '../leaf.ts';
import { addExtentOptions, extentOf, printPages } from '../list.ts';
import type { Surroundings } from '../runtime/context.ts';
import { confirmed, printAnswer, printPlan } from '../send.ts';
import { takes } from '../value-sources.ts';

const path = '/_iam/sandboxes';
const columns = ['name', 'baseUrl', 'expiresAt', 'createdAt'];
const shownInTables = 3;

/** Adds the commands of the noun. */
export function addSandbox(noun: Command, surroundings: Surroundings): void {
  addCreateCommand(noun, surroundings);
  addListCommand(noun, surroundings);
  addDeleteCommand(noun, surroundings);
}

function addCreateCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'create', {
    title: 'Makes a sandbox, which begins with what the seed says',
    description: `One that is there stays as it is. It goes by itself when nobody calls it. ${whereFrom}`,
    effect: 'write',
    idempotent: true,
    examples: [
      { title: 'For one test', command: 'test-1' },
      { title: 'Its base URL, for a script', command: 'test-1 -o json' },
    ],
  }).argument('<name>', 'Name of the sandbox');
  runs(command, surroundings, async (context, [name], options) => {
    const body = { name };
    if (options.dryRun === true) return printPlan(context, { ...controlPlan(context, 'POST', path), body });
    await printAnswer(context, (await callControl(context, 'POST', path, { body })).body, '');
  });
}

function addListCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'list', {
    title: 'Lists sandboxes',
    description: whereFrom,
    effect: 'read',
    examples: [{ title: 'All of them', command: '' }],
  }).alias('ls');
  addExtentOptions(command);
  runs(command, surroundings, (context, _, options) =>
    printPages(context, controlPages(context, path, {}), shapeOf(columns, shownInTables), extentOf(options)),
  );
}

function addDeleteCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'delete', {
    title: 'Deletes a sandbox with everything in it',
    description: whereFrom,
    effect: 'destructive',
    idempotent: true,
    examples: [{ title: 'After the test', command: 'test-1 --yes' }],
  }).argument('<name>', 'Name of the sandbox');
  takes(command, { name: reference('sandbox', ['name']) });
  runs(command, surroundings, async (context, [name], options) => {
    const one = `${path}/${encodeURIComponent(String(name))}`;
    if (options.dryRun === true) return printPlan(context, controlPlan(context, 'DELETE', one));
    await confirmed(context, `Delete the sandbox ${name}?`, options);
    await printAnswer(context, (await callControl(context, 'DELETE', one)).body, `Deleted ${name}.`);
  });
}

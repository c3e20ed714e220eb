/** `iam sandbox`: whole services beside the main one, for tests that must not meet one another. */

import type { Command } from 'commander';
import { reference } from '../../contract/entities.ts';
import { addCommand, setAction } from '../command.ts';
import {
  buildListShape,
  callControlPlane,
  controlPlaneNote,
  controlRequestPreview,
  createControlPageSource,
} from '../control-plane.ts';
import { addListOptions, parseListLimits, printPages } from '../pagination.ts';
import type { CliRuntime } from '../runtime/context.ts';
import { assertConfirmed, printRequestPreview, printResponse } from '../send.ts';
import { takes } from '../value-sources.ts';

const path = '/_iam/sandboxes';
const columns = ['name', 'baseUrl', 'expiresAt', 'createdAt'];
const tableColumnCount = 3;

/** Adds the commands of the noun. */
export function addSandbox(noun: Command, runtime: CliRuntime): void {
  addCreateCommand(noun, runtime);
  addListCommand(noun, runtime);
  addDeleteCommand(noun, runtime);
}

function addCreateCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'create', {
    title: 'Makes a sandbox, which begins with what the seed says',
    description: `One that is there stays as it is. It goes by itself when nobody calls it. ${controlPlaneNote}`,
    effect: 'write',
    idempotent: true,
    examples: [
      { title: 'For one test', command: 'test-1' },
      { title: 'Its base URL, for a script', command: 'test-1 -o json' },
    ],
  }).argument('<name>', 'Name of the sandbox');
  setAction(command, runtime, async (context, [name], options) => {
    const body = { name };
    if (options.dryRun === true)
      return printRequestPreview(context, { ...controlRequestPreview(context, 'POST', path), body });
    await printResponse(context, (await callControlPlane(context, 'POST', path, { body })).body, '');
  });
}

function addListCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'list', {
    title: 'Lists sandboxes',
    description: controlPlaneNote,
    effect: 'read',
    examples: [{ title: 'All of them', command: '' }],
  }).alias('ls');
  addListOptions(command);
  setAction(command, runtime, (context, _, options) =>
    printPages(
      context,
      createControlPageSource(context, path, {}),
      buildListShape(columns, tableColumnCount),
      parseListLimits(options),
    ),
  );
}

function addDeleteCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'delete', {
    title: 'Deletes a sandbox with everything in it',
    description: controlPlaneNote,
    effect: 'destructive',
    idempotent: true,
    examples: [{ title: 'After the test', command: 'test-1 --yes' }],
  }).argument('<name>', 'Name of the sandbox');
  takes(command, { name: reference('sandbox', ['name']) });
  setAction(command, runtime, async (context, [name], options) => {
    const one = `${path}/${encodeURIComponent(String(name))}`;
    if (options.dryRun === true) return printRequestPreview(context, controlRequestPreview(context, 'DELETE', one));
    await assertConfirmed(context, `Delete the sandbox ${name}?`, options);
    await printResponse(context, (await callControlPlane(context, 'DELETE', one)).body, `Deleted ${name}.`);
  });
}

/** `iam sandbox`: manages isolated service instances for tests. */

import type { Command } from 'commander';
import { reference } from '../../contract/entities.ts';
import { addCommand, setAction } from '../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import { splitSecrets } from '../http/redact.ts';
import { readObjectText } from '../io/input.ts';
import { withPlaces } from '../output/text-places.ts';
import { declareValueSources } from '../prompts/value-sources.ts';
import { callControlPlane, controlPlaneNote } from '../request/control-plane.ts';
import { printControlList, removeTargets, sendControlWrite } from '../request/control-requests.ts';
import { createdBy } from '../request/created-entity.ts';
import { addListOptions } from '../request/pagination.ts';
import { declareSecrets, noticeSecretShownOnce, withSecretOutput } from '../request/response-secrets.ts';
import { printResponse } from '../request/send.ts';
import { addSeveralHelp } from '../request/several-targets.ts';

const path = '/_iam/sandboxes';
const columns = ['name', 'baseUrl', 'expiresAt', 'createdAt'];

export function addSandbox(noun: Command, runtime: CliRuntime): void {
  addCreateCommand(noun, runtime);
  addListCommand(noun, runtime);
  addDeleteCommand(noun, runtime);
}

function addCreateCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'create', {
    title: 'Create a sandbox',
    description: `The sandbox starts with the seed of the server, or with that of --seed, to which its resets return. With --seed it has administrators of its own, whose secrets are shown once. An existing sandbox stays unchanged; with --seed, its name is an error. Unused sandboxes are deleted automatically. ${controlPlaneNote}`,
    effect: 'write',
    idempotent: true,
    examples: [
      { title: 'Create a sandbox for a test', command: 'test-1' },
      { title: 'Print its base URL for a script', command: 'test-1 -o json' },
      { title: 'Create one with its own users and groups', command: 'test-1 --seed seed.yaml' },
    ],
  })
    .argument('<name>', 'Name of the sandbox')
    .option('--seed <file>', 'seed document in JSON or YAML instead of the seed of the server, - is standard input')
    .option(
      '--secret-output <file>',
      'with --seed: write the secret of the administrator client and the password of the administrator user to a new file that only you can read, one per line',
    );
  setAction(command, runtime, async (context, [name], { seed: file, ...options }) => {
    if (file === undefined) {
      if (options.secretOutput !== undefined)
        throw usageError(
          '--secret-output needs --seed: without it, the sandbox has the administrators of the server.',
          'Add --seed FILE, or leave --secret-output out.',
        );
      const created = () => ({ ...createdBy('sandbox delete', String(name)), mayBeOlder: true }) as const;
      return sendControlWrite(context, options, { method: 'POST', path, body: { name }, created, done: '' });
    }
    const read = await readObjectText(String(file), context.io);
    await withPlaces(read, ['seed'], () => createSeeded(context, { name, seed: read.value }, options));
  });
}

const createdResponse = declareSecrets('adminClientSecret', 'adminPassword');

async function createSeeded(
  context: Context,
  body: { readonly name: unknown; readonly seed: unknown },
  options: CommandOptions,
): Promise<void> {
  if (options.dryRun === true) return sendControlWrite(context, options, { method: 'POST', path, body, done: '' });
  const file = options.secretOutput as string | undefined;
  const request = async () => (await callControlPlane(context, 'POST', path, { body })).body;
  const created = await withSecretOutput(context, createdResponse, file, request);
  const hasSecret = Object.keys(splitSecrets(createdResponse, created).secrets).length > 0;
  await printResponse(context, created, '', { ...createdBy('sandbox delete', String(body.name)), hasSecret });
  noticeSecretShownOnce(context, createdResponse, created);
}

function addListCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'list', {
    title: 'List sandboxes',
    description: controlPlaneNote,
    effect: 'read',
    examples: [{ title: 'List the sandboxes', command: '' }],
  }).alias('ls');
  addListOptions(command);
  setAction(command, runtime, (context, _, options) => printControlList(context, options, { path, columns, main: 3 }));
}

function addDeleteCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'delete', {
    title: 'Delete a sandbox and all its data',
    description: controlPlaneNote,
    effect: 'destructive',
    idempotent: true,
    examples: [{ title: 'Delete a sandbox after the test', command: 'test-1 --yes' }],
  }).argument('<name...>', 'Name of the sandbox, one or more');
  addSeveralHelp(command, true);
  declareValueSources(command, { name: reference('sandbox', ['name']) });
  setAction(command, runtime, (context, [names = []], options) =>
    removeTargets(
      context,
      options,
      [names].flat(),
      (name) => ({ path: `${path}/${encodeURIComponent(name)}`, done: `Deleted ${name}.` }),
      (targets) =>
        `Delete the ${targets.length === 1 ? 'sandbox' : 'sandboxes'} ${targets.join(', ')} of ${resolveBaseUrl(context.settings)} and all ${targets.length === 1 ? 'its' : 'their'} data?`,
    ),
  );
}

/** `iam faults`: failures on purpose, for whoever wants to see how a program copes with them. */

import type { Command } from 'commander';
import { type ApiResponse, asPage } from '../../client/response.ts';
import { reference } from '../../contract/entities.ts';
import { addCommand, type CommandOptions, setAction } from '../command.ts';
import { buildListShape, callControlPlane, controlPlaneNote, controlRequestPreview } from '../control-plane.ts';
import { addFieldOption, createField } from '../field-options.ts';
import { printPages } from '../pagination.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { usageError } from '../runtime/errors.ts';
import { assertConfirmed, printRequestPreview, printResponse } from '../send.ts';
import { takes } from '../value-sources.ts';

const path = '/_iam/faults';
const columns = [
  'id',
  'operation',
  'caller',
  'effect',
  'nth',
  'every',
  'probability',
  'seed',
  'times',
  'matched',
  'applied',
];

/** Adds the commands of the noun. */
export function addFaults(noun: Command, runtime: CliRuntime): void {
  addListCommand(noun, runtime);
  addAddCommand(noun, runtime);
  addRemoveCommand(noun, runtime);
  addClearCommand(noun, runtime);
}

function addListCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'list', {
    title: 'Lists the faults on purpose, and how often each was applied',
    description: controlPlaneNote,
    effect: 'read',
    examples: [{ title: 'All of them', command: '' }],
  }).alias('ls');
  setAction(command, runtime, (context) => {
    const source = async () => asPage((await callControlPlane(context, 'GET', path)) as ApiResponse);
    return printPages(context, source, buildListShape(columns, columns.length), { all: true });
  });
}

function addAddCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'add', {
    title: 'Disturbs calls from now on',
    description: `By one of --fail, --latency, --drop, --rotate-key and --stale-keys, in those calls that match. Their answers say so in X-Iam-Fault. ${controlPlaneNote}`,
    effect: 'write',
    examples: [
      { title: 'The third call fails', command: '--operation groups.create --nth 3 --fail 503' },
      { title: 'Everything is slow for one client', command: '--caller billing-service --latency 200ms --jitter 50ms' },
      {
        title: 'One in ten writes is kept but not answered',
        command: '--operation groups.create --probability 0.1 --drop after',
      },
      { title: 'Verifiers do not hear of the last rotation', command: '--stale-keys' },
    ],
  })
    .option('--operation <id>', 'only calls of this operation, such as groups.create')
    .option('--caller <id>', 'only calls by this client or user');
  for (const [name, description] of integers)
    addFieldOption(command, createField([name], { type: 'integer', description }, false));
  command
    .option('--probability <number>', 'how likely each call that matches is disturbed, from 0 to 1')
    .option('--latency <time>', 'wait so long before the operation begins: 200ms, 2s')
    .option('--jitter <time>', 'and up to so much longer')
    .option('--drop <when>', 'end the connection before the operation begins, or after what it wrote is kept')
    .option('--rotate-key', 'make a new signing key before the answer goes out')
    .option('--stale-keys', 'give verifiers the key set of before the last rotation');
  setAction(command, runtime, async (context, _, options) => {
    const body = buildRule(options);
    if (options.dryRun === true)
      return printRequestPreview(context, { ...controlRequestPreview(context, 'POST', path), body });
    await printResponse(context, (await callControlPlane(context, 'POST', path, { body })).body, '');
  });
}

const integers = [
  ['fail', 'answer with this status, where the operation documents it'],
  ['nth', 'only this one of the calls that match, from 1'],
  ['every', 'one of so many calls that match'],
  ['seed', 'where chance begins; 1 where not given'],
  ['times', 'disturb so many calls at most'],
] as const;

function buildRule({ operation, caller, nth, every, seed, times, probability, ...rest }: CommandOptions): object {
  const { fail: status, latency, jitter, drop, rotateKey, staleKeys } = rest;
  const chosen = [status, latency, drop, rotateKey, staleKeys].filter((value) => value !== undefined);
  if (chosen.length !== 1) throw usageError('Give one of --fail, --latency, --drop, --rotate-key and --stale-keys.');
  const likely = probability === undefined ? undefined : Number(probability);
  if (Number.isNaN(likely)) throw usageError('--probability takes a number from 0 to 1.');
  const effect = { status, latency, jitter, drop, rotateKey, staleKeys };
  return { operation, caller, nth, every, probability: likely, seed, times, effect };
}

function addRemoveCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'remove', {
    title: 'Removes a fault on purpose',
    description: controlPlaneNote,
    effect: 'write',
    examples: [{ title: 'The first one', command: 'f1' }],
  })
    .alias('rm')
    .argument('<fault>', 'Id of the fault');
  takes(command, { fault: reference('fault', ['id']) });
  setAction(command, runtime, (context, [id], options) => remove(context, { id: String(id) }, options));
}

function addClearCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'clear', {
    title: 'Removes all faults on purpose',
    description: controlPlaneNote,
    effect: 'destructive',
    examples: [{ title: 'After a test', command: '--yes' }],
  });
  setAction(command, runtime, async (context, _, options) => {
    if (options.dryRun !== true) await assertConfirmed(context, 'Remove all faults on purpose?', options);
    await remove(context, {}, options);
  });
}

async function remove(context: Context, query: { readonly id?: string }, options: CommandOptions): Promise<void> {
  if (options.dryRun === true)
    return printRequestPreview(context, controlRequestPreview(context, 'DELETE', path, query));
  const { body } = await callControlPlane(context, 'DELETE', path, { query });
  await printResponse(context, body, 'Removed.');
}

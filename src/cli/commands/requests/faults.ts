/** `iam faults`: manages fault injection, to test how a program handles failures. */

import type { Command } from 'commander';
import { type ApiResponse, asPage } from '../../../client/response.ts';
import { reference } from '../../../contract/entities.ts';
import type { Manifest } from '../../../contract/manifest-types.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { resolveBaseUrl } from '../../http/connection.ts';
import type { NameOf } from '../../output/name-columns.ts';
import type { TableRow } from '../../output/table.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { buildListShape, callControlPlane, controlPlaneNote } from '../../request/control-plane.ts';
import { sendControlWrite, summarizeForTables } from '../../request/control-requests.ts';
import { createdBy } from '../../request/created-entity.ts';
import { addFieldOption, createField } from '../../request/field-options.ts';
import { resolveOperation } from '../../request/operation-names.ts';
import { printPages } from '../../request/pagination.ts';
import { callerNotFoundError, findCallerId } from './find-caller.ts';

const path = '/_iam/faults';
const columns = [
  ...['id', 'operation', 'caller', 'effect', 'nth', 'every', 'probability'],
  ...['seed', 'times', 'matched', 'applied'],
];

export function addFaults(noun: Command, runtime: CliRuntime): void {
  addListCommand(noun, runtime);
  addAddCommand(noun, runtime);
  addRemoveCommand(noun, runtime);
  addClearCommand(noun, runtime);
}

function addListCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'list', {
    title: 'List injected faults',
    description: controlPlaneNote,
    effect: 'read',
    examples: [{ title: 'List all faults with their counters', command: '' }],
  }).alias('ls');
  setAction(command, runtime, (context) => {
    const source = async () => asPage((await callControlPlane(context, 'GET', path)) as ApiResponse);
    const rows = summarizeForTables(context, source, nameCaller);
    return printPages(context, rows, buildListShape(columns, columns.length), { all: true });
  });
}

function nameCaller({ caller, ...fault }: TableRow, nameOf: NameOf): TableRow {
  if (typeof caller !== 'string') return fault;
  return { ...fault, caller: nameOf('user', caller) ?? nameOf('client', caller) ?? caller };
}

function addAddCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'add', {
    title: 'Inject a fault',
    description: `Applies one of --fail, --latency, --drop, --rotate-key and --stale-keys to matching requests. Affected responses have the header X-Iam-Fault. ${controlPlaneNote}`,
    effect: 'write',
    examples: [
      { title: 'Fail the third request', command: '--operation groups.create --nth 3 --fail 503' },
      { title: 'Add latency for one client', command: '--caller billing-service --latency 200ms --jitter 50ms' },
      {
        title: 'Apply one in ten writes but drop the response',
        command: '--operation groups.create --probability 0.1 --drop after',
      },
      { title: 'Serve the key set from before the last rotation', command: '--stale-keys' },
    ],
  })
    .option('--operation <name>', 'only requests for this operation, by its id or command: groups.create')
    .option('--caller <caller>', 'only requests of this client or user, by id or name');
  for (const [name, description] of integers)
    addFieldOption(command, createField([name], { type: 'integer', description }, false));
  command
    .option('--probability <number>', 'probability for each matching request, from 0 to 1')
    .option('--latency <time>', 'delay before the operation starts: 200ms, 2s')
    .option('--jitter <time>', 'maximum random addition to --latency')
    .option('--drop <when>', 'close the connection before the operation starts, or after its changes are stored')
    .option('--rotate-key', 'rotate the signing key before the response is sent')
    .option('--stale-keys', 'serve the key set from before the last rotation');
  declareValueSources(command, {
    '--operation': 'operation',
    '--caller': [reference('user', ['name']), reference('client', ['serviceAccount'])],
  });
  setAction(command, runtime, async (context, _, options) => {
    const rule = buildRule(context.manifest, options);
    const caller = rule.caller === undefined ? undefined : String(rule.caller);
    const found = caller === undefined ? undefined : await findCallerId(context, caller);
    if (caller !== undefined && found === undefined) throw callerNotFoundError(caller);
    const body = { ...rule, caller: found };
    const created = ({ id }: TableRow) => createdBy('faults remove', String(id));
    await sendControlWrite(context, options, { method: 'POST', path, body, created, done: '' });
  });
}

const integers = [
  ['fail', 'return this status, if the operation documents it'],
  ['nth', 'only the nth matching request, from 1'],
  ['every', 'only every nth matching request'],
  ['seed', 'seed of the random numbers, default 1'],
  ['times', 'maximum number of affected requests'],
] as const;

function buildRule(manifest: Manifest, options: CommandOptions): Readonly<Record<string, unknown>> {
  const { operation: name, caller, nth, every, seed, times, probability, ...rest } = options;
  const operation = name === undefined ? undefined : resolveOperation(manifest, String(name)).id;
  const { fail: status, latency, jitter, drop, rotateKey, staleKeys } = rest;
  const chosen = [status, latency, drop, rotateKey, staleKeys].filter((value) => value !== undefined);
  if (chosen.length !== 1)
    throw usageError('Use exactly one of --fail, --latency, --drop, --rotate-key and --stale-keys.');
  const likelihood = probability === undefined ? undefined : Number(probability);
  if (Number.isNaN(likelihood)) throw usageError('--probability must be a number from 0 to 1.');
  const effect = { status, latency, jitter, drop, rotateKey, staleKeys };
  return { operation, caller, nth, every, probability: likelihood, seed, times, effect };
}

function addRemoveCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'remove', {
    title: 'Remove an injected fault',
    description: controlPlaneNote,
    effect: 'write',
    examples: [{ title: 'Remove a fault by id', command: 'f1' }],
  })
    .alias('rm')
    .argument('<fault>', 'Fault id');
  declareValueSources(command, { fault: reference('fault', ['id']) });
  setAction(command, runtime, (context, [id], options) =>
    sendControlWrite(context, options, { method: 'DELETE', path, query: { id: String(id) }, done: 'Removed.' }),
  );
}

function addClearCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'clear', {
    title: 'Remove all injected faults',
    description: controlPlaneNote,
    effect: 'destructive',
    examples: [{ title: 'Clean up after a test', command: '--yes' }],
  });
  setAction(command, runtime, (context, _, options) => {
    const question = `Remove all injected faults of ${resolveBaseUrl(context.settings)}?`;
    return sendControlWrite(context, options, { method: 'DELETE', path, question, done: 'Removed.' });
  });
}

/** `iam faults`: manages fault injection, to test how a program handles failures. */

import { type Command, Option } from 'commander';
import { type ApiResponse, asPage } from '../../../client/response.ts';
import { reference } from '../../../contract/entities.ts';
import type { Manifest } from '../../../contract/manifest-types.ts';
import {
  affectsEverything,
  affectsEverythingText,
  faultEffectEntries,
  faultEffects,
  faultPresetNames,
  faultTargetNames,
  formatEffect,
  formatTargets,
  isSingleEffect,
  listEffects,
} from '../../../contract/testing/fault-effects.ts';
import { addCommand, addConfirmOptions, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { resolveBaseUrl } from '../../http/connection.ts';
import { canPrompt } from '../../io/prompt.ts';
import type { NameOf } from '../../output/name-columns.ts';
import type { TableRow } from '../../output/table.ts';
import { promptForValues } from '../../prompts/missing-values.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { assertConfirmed } from '../../request/confirm.ts';
import { buildListShape, callControlPlane, controlPlaneNote } from '../../request/control-plane.ts';
import { removeTargets, sendControlWrite, summarizeForTables } from '../../request/control-requests.ts';
import { createdBy } from '../../request/created-entity.ts';
import { addFieldOption, createField, lowerFirst, parseInteger } from '../../request/field-options.ts';
import { resolveOperation } from '../../request/operation-names.ts';
import { printPages } from '../../request/pagination.ts';
import { addSeveralHelp } from '../../request/several-targets.ts';
import { callerNotFoundError, findCallerId } from './find-caller.ts';

const path = '/_iam/faults';
const columns = [
  ...['id', 'operation', 'target', 'caller', 'effect', 'nth', 'every', 'probability'],
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
    const rows = summarizeForTables(context, source, summarize);
    return printPages(context, rows, buildListShape(columns, columns.length), { all: true });
  });
}

function summarize({ caller, ...row }: TableRow, nameOf: NameOf): TableRow {
  const fault = { ...row, effect: formatEffect(row.effect as object) };
  if (typeof caller !== 'string') return fault;
  return { ...fault, caller: nameOf('user', caller) ?? nameOf('client', caller) ?? caller };
}

function addAddCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'add', {
    title: 'Inject a fault',
    description: `Applies an effect to matching requests: one of ${effectNames}, or those of a --preset. Affected responses have the header X-Iam-Fault. ${controlPlaneNote}`,
    effect: 'write',
    examples: [
      { title: 'Fail the third request', command: '--operation groups.create --nth 3 --fail 503' },
      { title: 'Add latency for one client', command: '--caller billing-service --latency 200ms --jitter 50ms' },
      {
        title: 'Apply one in ten writes but drop the response',
        command: '--operation groups.create --probability 0.1 --drop after',
      },
      { title: 'Respond as a gateway that cannot reach the server', command: '--preset gateway-502 --times 2' },
      { title: 'Make the key set slow', command: '--target jwks --latency 5s' },
    ],
  })
    .option('--operation <name>', 'only requests for this operation, by its id or command: groups.create')
    .addOption(
      new Option('--target <target>', `only requests to ${formatTargets()}`)
        .choices(faultTargetNames)
        .conflicts('operation'),
    )
    .option('--caller <caller>', 'only requests of this client or user, by id or name')
    .addOption(new Option('--preset <name>', 'a fault with a name').choices(faultPresetNames));
  for (const [name, description] of integers)
    addFieldOption(command, createField([name], { type: 'integer', description }, false));
  command.option('--probability <number>', 'probability for each matching request, from 0 to 1');
  for (const { option } of effectOptions()) command.addOption(option);
  addConfirmOptions(command, 'do not ask before a fault of all operations and callers');
  declareValueSources(command, {
    '--operation': 'operation',
    '--caller': [reference('user', ['name']), reference('client', ['serviceAccount'])],
  });
  setAction(command, runtime, async (context, _, options) => {
    const rule = buildRule(context.manifest, await promptForEffect(context, options));
    const caller = rule.caller === undefined ? undefined : String(rule.caller);
    const found = caller === undefined ? undefined : await findCallerId(context, caller);
    if (caller !== undefined && found === undefined) throw callerNotFoundError(caller);
    const body = { ...rule, caller: found };
    const created = ({ id }: TableRow) => createdBy('faults remove', String(id));
    const question = `Add a fault to ${resolveBaseUrl(context.settings)}? ${affectsEverythingText}`;
    const confirm = async () => (affectsEverything(body) ? assertConfirmed(context, question, options) : undefined);
    await sendControlWrite(context, options, { method: 'POST', path, body, confirm, created, done: '' });
  });
}

/** At a terminal, the fault is one with a name if none is given. */
async function promptForEffect(context: Context, options: CommandOptions): Promise<CommandOptions> {
  const names = ['preset', ...effectOptions().map(({ option }) => option.attributeName())];
  const isGiven = names.some((name) => options[name] !== undefined);
  if (isGiven || options.dryRun === true || !canPrompt(context.promptOptions(false))) return options;
  const promptContext = { context, example: 'iam faults add --preset gateway-502', allowsPrompts: true, known: {} };
  const schema = { type: 'string', enum: faultPresetNames };
  const [preset] = await promptForValues(promptContext, [{ name: 'preset', usage: '--preset', schema }]);
  return { ...options, preset };
}

const integers = [
  ['nth', 'only the nth matching request, from 1'],
  ['every', 'only every nth matching request'],
  ['seed', 'seed of the random numbers, default 1'],
  ['times', 'maximum number of affected requests'],
] as const;

const effectNames = listEffects((name) => faultEffects[name].option.replace(/ .*/, ''));

function effectOptions(): { readonly name: string; readonly option: Option }[] {
  return faultEffectEntries.map(([name, { option: flags, values, description }]) => {
    const option = new Option(flags, lowerFirst(description));
    if (values === 'integer') option.argParser(parseInteger);
    else if (values) option.choices(values);
    return { name, option };
  });
}

function buildRule(manifest: Manifest, options: CommandOptions): Readonly<Record<string, unknown>> {
  const { operation: name, target, caller, preset, nth, every, seed, times, probability } = options;
  const operation = name === undefined ? undefined : resolveOperation(manifest, String(name)).id;
  const fields = effectOptions().map(({ name: field, option }) => [field, options[option.attributeName()]] as const);
  const effect = Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  const isComplete = preset === undefined ? isSingleEffect(Object.keys(effect)) : Object.keys(effect).length === 0;
  if (!isComplete) throw usageError(`Use --preset, or one of ${effectNames}.`);
  const likelihood = probability === undefined ? undefined : Number(probability);
  if (Number.isNaN(likelihood)) throw usageError('--probability must be a number from 0 to 1.');
  const rule = { operation, target, caller, preset, nth, every, probability: likelihood, seed, times };
  return preset === undefined ? { ...rule, effect } : rule;
}

function addRemoveCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'remove', {
    title: 'Remove an injected fault',
    description: controlPlaneNote,
    effect: 'write',
    examples: [{ title: 'Remove a fault by id', command: 'f1' }],
  })
    .alias('rm')
    .argument('<fault...>', 'Fault id, one or more');
  addSeveralHelp(command, false);
  declareValueSources(command, { fault: reference('fault', ['id']) });
  setAction(command, runtime, (context, [ids = []], options) =>
    removeTargets(context, options, [ids].flat(), (id) => ({ path, query: { id }, done: `Removed ${id}.` })),
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

/** Completes values of options and arguments: fixed choices, local values and names from the server. */
import type { JsonSchema, ManifestOperation } from '../../contract/manifest-types.ts';
import type { Environment } from '../io/io.ts';
import { referenceIn } from '../prompts/value-sources.ts';
import { findOperations } from '../request/operation-names.ts';
import { buildRequestSpec } from '../request/request-spec.ts';
import { type Completions, noCompletions, withPrefix } from './candidate.ts';
import { findCommandOperation, findLocalValues } from './local-values.ts';
import { findServerValues, type ServerValueRequest } from './server-values.ts';
import type { Slot } from './slot.ts';

export interface ValueRequest extends ServerValueRequest {
  readonly environment: Environment;
}

/** Names of arguments and options that take a file. */
const fileSlots = [
  'file',
  'folder',
  'resume-log',
  'plan',
  '--data',
  '--seed',
  '--tls-cert',
  '--tls-key',
  '--signing-key',
];

/** Returns candidates as whole values, including the part before a comma or `name=`. */
export async function completeValue(request: ValueRequest): Promise<Completions> {
  const { slot, typed } = request;
  if (slot.name === 'name=value' || slot.name === 'field=value') return completeAssignment(request);
  if (!slot.commas) return excludeUsed(await findPlainValues(request), slot.usedValues);
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  const { values, ...rest } = excludeUsed(await findPlainValues(request), before.split(','));
  return withPrefix(before, { ...rest, values: values.filter(({ value }) => !value.includes(',')) });
}

async function findPlainValues(request: ValueRequest): Promise<Completions> {
  const { slot } = request;
  const choices = slot.choices ?? listChoices(findSchema(request));
  if (choices) return { values: choices.map((value) => ({ value })) };
  if (fileSlots.includes(slot.name) || fileSlots.includes(slot.flag ?? '')) return { values: [], files: true };
  return { values: (await findLocalValues(request)) ?? (await findServerValues(request)) };
}

function excludeUsed(completions: Completions, usedValues: readonly string[]): Completions {
  return { ...completions, values: completions.values.filter(({ value }) => !usedValues.includes(value)) };
}

/** The schema of an option's field. */
function findSchema({ manifest, position, slot: { flag } }: ValueRequest): JsonSchema | undefined {
  const operation = flag === undefined ? undefined : findCommandOperation(manifest, position.command);
  if (!operation) return undefined;
  const { query, body } = buildRequestSpec(operation);
  return [...query, ...body].find((field) => `--${field.flag}` === flag)?.schema;
}

function listChoices(schema: JsonSchema | undefined): readonly string[] | undefined {
  if (schema?.type === 'boolean') return ['true', 'false'];
  return (schema?.enum ?? schema?.items?.enum)?.map(String);
}

interface AssignableField {
  /** The text before the equals sign. */
  readonly name: string;
  readonly schema: JsonSchema;
}

async function completeAssignment(request: ValueRequest): Promise<Completions> {
  const { typed } = request;
  const fields = listAssignableFields(request);
  const at = typed.indexOf('=');
  if (at < 0)
    return {
      values: fields.map(({ name, schema }) => ({ value: `${name}=`, text: schema.description })),
      open: true,
    };
  const field = fields.find(({ name }) => name === typed.slice(0, at));
  if (!field) return noCompletions;
  const reference = referenceIn(field.schema);
  const sources = reference ? [reference] : [];
  const slot: Slot = { name: '', sources, choices: listChoices(field.schema), commas: false, usedValues: [] };
  return withPrefix(typed.slice(0, at + 1), await findPlainValues({ ...request, slot, typed: typed.slice(at + 1) }));
}

function listAssignableFields(request: ValueRequest): readonly AssignableField[] {
  const { position, manifest, slot } = request;
  if (slot.name === 'field=value') return listSettableFields(findCommandOperation(manifest, position.command));
  const [operation, ...others] = findOperations(manifest, position.args.join(' '));
  if (!operation || others.length > 0) return [];
  const { params, query, headers = [] } = operation;
  const declared = slot.flag === '--header' ? headers : [...params, ...query];
  return declared;
}

function listSettableFields(operation: ManifestOperation | undefined): readonly AssignableField[] {
  const fields = operation ? buildRequestSpec(operation).body.filter(({ secret }) => !secret) : [];
  return fields.map(({ path, schema }) => ({ name: path.join('.'), schema }));
}

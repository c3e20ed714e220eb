/** What an option or an argument takes: a fixed choice, something that is known here, or a name that the server has. */
import type { JsonSchema, ManifestOperation } from '../../contract/manifest-types.ts';
import { shapeOf } from '../operation-shape.ts';
import type { Environment } from '../runtime/io.ts';
import { referenceIn } from '../value-sources.ts';
import { type Answer, behind, nothing } from './candidate.ts';
import { localValues, operationOf } from './local-values.ts';
import { type ServerAsked, serverValues } from './server-values.ts';
import type { Slot } from './slot.ts';

export interface Asked extends ServerAsked {
  readonly environment: Environment;
  /** What was typed of the value. */
  readonly typed: string;
}

/** Arguments and values that are files, and options that are. */
const files = ['file', 'folder', 'ledger', 'plan', '--data', '--seed', '--tls-cert', '--tls-key'];

/** What fits, as the whole value: with what is typed before a comma or behind `name=`. */
export async function valuesFor(asked: Asked): Promise<Answer> {
  const { slot, typed } = asked;
  if (slot.name === 'name=value' || slot.name === 'field=value') return assignments(asked);
  if (!slot.commas) return without(await plainValues(asked), slot.taken);
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  const { values, ...rest } = without(await plainValues(asked), before.split(','));
  return behind(before, { ...rest, values: values.filter(({ value }) => !value.includes(',')) });
}

async function plainValues(asked: Asked): Promise<Answer> {
  const { slot } = asked;
  const choices = slot.choices ?? choicesOf(schemaOf(asked));
  if (choices) return { values: choices.map((value) => ({ value })) };
  if (files.includes(slot.name) || files.includes(slot.flag ?? '')) return { values: [], files: true };
  return { values: (await localValues(asked)) ?? (await serverValues(asked)) };
}

function without(answer: Answer, taken: readonly string[]): Answer {
  return { ...answer, values: answer.values.filter(({ value }) => !taken.includes(value)) };
}

/** The schema of the field that an option stands for. */
function schemaOf({ manifest, position, slot: { flag } }: Asked): JsonSchema | undefined {
  const operation = flag === undefined ? undefined : operationOf(manifest, position.command);
  if (!operation) return undefined;
  const { query, body } = shapeOf(operation);
  return [...query, ...body].find((field) => `--${field.flag}` === flag)?.schema;
}

function choicesOf(schema: JsonSchema | undefined): readonly string[] | undefined {
  if (schema?.type === 'boolean') return ['true', 'false'];
  return (schema?.enum ?? schema?.items?.enum)?.map(String);
}

interface Assignable {
  /** As it is typed before the sign of equality. */
  readonly name: string;
  readonly schema: JsonSchema;
}

async function assignments(asked: Asked): Promise<Answer> {
  const { typed } = asked;
  const fields = assignable(asked);
  const at = typed.indexOf('=');
  if (at < 0)
    return {
      values: fields.map(({ name, schema }) => ({ value: `${name}=`, text: schema.description })),
      open: true,
    };
  const field = fields.find(({ name }) => name === typed.slice(0, at));
  if (!field) return nothing;
  const reference = referenceIn(field.schema);
  const sources = reference ? [reference] : [];
  const slot: Slot = { name: '', sources, choices: choicesOf(field.schema), commas: false, taken: [] };
  return behind(typed.slice(0, at + 1), await plainValues({ ...asked, slot, typed: typed.slice(at + 1) }));
}

function assignable(asked: Asked): readonly Assignable[] {
  const { position, manifest, slot } = asked;
  if (slot.name === 'field=value') return fieldsToSet(operationOf(manifest, position.command));
  const operation = manifest.operations.find(({ id }) => id === position.args[0]);
  if (!operation) return [];
  const { params, query, headers = [] } = operation;
  const declared = slot.flag === '--header' ? headers : [...params, ...query];
  return declared;
}

function fieldsToSet(operation: ManifestOperation | undefined): readonly Assignable[] {
  const fields = operation ? shapeOf(operation).body.filter(({ secret }) => !secret) : [];
  return fields.map(({ path, schema }) => ({ name: path.join('.'), schema }));
}

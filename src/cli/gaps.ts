/** What a call still lacks once all that was typed is in it: each with how it is asked for and where its answer goes. */
import type { JsonSchema } from '../contract/manifest-types.ts';
import { labelOf } from './asking/fields.ts';
import type { Answer, Wanted } from './asking/wanted.ts';
import { type Field, kebab, place, valueOfText } from './fields.ts';
import { argumentName, type Shape } from './operation-shape.ts';

/** A call as far as it goes; answers are put into it. */
export interface Draft {
  readonly params: Record<string, string>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
}

export interface Gap {
  readonly wanted: Wanted;
  fill(answer: Answer): void;
}

/** In the order in which they would be typed. Only what is missing is found here; all else is the server's to judge. */
export function gapsOf(shape: Shape, { params, query, body }: Draft): Gap[] {
  const inPath = shape.operation.params
    .filter(({ name }) => params[name] === undefined)
    .map((param): Gap => {
      const name = argumentName(param);
      const wanted = { name, label: param.schema['x-label'], typed: `<${name}>`, schema: param.schema };
      return { wanted, fill: (answer) => place(params, [param.name], String(answer)) };
    });
  const inQuery = shape.query.filter(({ path: [name = ''], required }) => required && query[name] === undefined);
  return [
    ...inPath,
    ...inQuery.map((field) => gapOf(field, query, `--${field.flag}`)),
    ...(shape.operation.body ? bodyGaps(shape, body) : []),
  ];
}

function bodyGaps({ members, entries, body: fields, last }: Shape, body: unknown): Gap[] {
  if (members) return (body as unknown[]).length > 0 ? [] : [memberGap(members, body as unknown[])];
  const target = body as Record<string, unknown>;
  if (entries) return entryGaps(entries, fields, target);
  return fields
    .filter(({ path, required }) => required && valueAt(target, path) === undefined)
    .map((field) => gapOf(field, target, field === last ? `<${field.flag}>` : `--${field.flag}`));
}

function gapOf(field: Field, target: Record<string, unknown>, typed: string): Gap {
  const { flag, schema, secret, path } = field;
  const several = schema.type === 'array';
  // The flag of a secret names a file; a prompt asks for the secret itself.
  const label = schema['x-label'] ?? (secret ? labelOf(kebab(path.join('.'))) : undefined);
  const known = several ? { ...schema.items, ...schema } : schema;
  const wanted = { name: flag, label, typed, schema: known, secret, several };
  return {
    wanted,
    fill: (answer) => place(target, path, secret ? answer : valueOfText(field, [answer].flat().join(','))),
  };
}

function memberGap({ flag, schema, path: [name = ''] }: Field, body: unknown[]): Gap {
  const wanted = { name: flag, typed: `<${flag}>...`, schema, several: true };
  return { wanted, fill: (answer) => void body.push(...[answer].flat().map((value) => ({ [name]: value }))) };
}

/** One entry, of which some fields may be left out. */
function entryGaps(
  { path: [name = ''], schema }: Field,
  fields: readonly Field[],
  body: Record<string, unknown>,
): Gap[] {
  if (body[name] !== undefined) return [];
  const entry: Record<string, unknown> = {};
  return fields.map((field): Gap => {
    const required = schema.items?.required?.includes(field.path.join('.')) ?? false;
    const { wanted, fill } = gapOf(field, entry, `--${field.flag}`);
    return {
      wanted: { ...wanted, optional: !required, onlyFor: kindOf(field, schema.items) },
      fill: (answer) => {
        body[name] = [entry];
        if (answer.length > 0) fill(answer);
      },
    };
  });
}

/** The value of another field without which this one is of no use: `email` belongs to the contact type EMAIL. */
function kindOf({ path: [name = ''] }: Field, entry: JsonSchema | undefined): Wanted['onlyFor'] {
  const condition = entry?.properties?.[name]?.['x-only-for'];
  return condition && { name: kebab(condition.field), value: condition.value };
}

/** What is there; something else where there should be an object is the server's to judge. */
function valueAt(target: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || typeof target !== 'object' || target === null) return target;
  return valueAt((target as Record<string, unknown>)[name], rest);
}

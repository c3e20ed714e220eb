/** What fields refer to, name and are called: a change of it shows in the snapshot, and the table of entities is sound. */
import { describe, expect, test } from 'vitest';
import { formatArgumentName } from '../../src/cli/request-builder.ts';
import { entityName } from '../../src/cli/runtime/entity-name.ts';
import { rowsOf, wordsOfSource } from '../../src/cli/value-sources.ts';
import { type EntityName, entities, entityOf, type Reference } from '../../src/contract/entities.ts';
import { manifest } from '../../src/contract/manifest.ts';
import type { JsonSchema } from '../../src/contract/manifest-types.ts';

interface Place {
  readonly at: string;
  readonly schema: JsonSchema;
}

/** Every schema within a schema. */
function within(schema: JsonSchema | undefined, at: string): Place[] {
  if (!schema) return [];
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, one]) => within(one, `${at}.${name}`));
  const others = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  return [{ at, schema }, ...properties, ...others.flatMap((one) => within(one, at))];
}

const places = manifest.operations.flatMap(({ id, params, query, body }) => [
  ...params.flatMap(({ name, schema }) => within(schema, `${id} {${name}}`)),
  ...query.flatMap(({ name, schema }) => within(schema, `${id} ?${name}`)),
  ...within(body, `${id} body`),
]);
const references = places.flatMap(({ at, schema }) => {
  const reference = schema['x-reference'];
  return reference ? [{ at, reference }] : [];
});

function textOf({ entity, by, among }: Reference): string {
  const source = among && ('operation' in among ? among.operation : among.control);
  return `${entity} by ${by.join(' or ')}${among ? `, ${among.property} of ${source}` : ''}`;
}

test('references', () => {
  expect(references.map(({ at, reference }) => `${at}: ${textOf(reference)}`).join('\n')).toMatchSnapshot();
});

test('names of what is created or renamed', () => {
  const defined = places.flatMap(({ at, schema }) => {
    const definition = schema['x-defines'];
    return definition ? [`${at}: ${definition.entity} by ${definition.by}`] : [];
  });
  expect(defined.join('\n')).toMatchSnapshot();
});

test('operations that create, and arguments', () => {
  const lines = manifest.operations.flatMap((operation) => {
    const { id, creates, params } = operation;
    const names = params.map((param) => `<${formatArgumentName(param)}>`).join(' ');
    return creates || names ? [`${id} ${names}${creates ? ` creates ${creates}` : ''}`] : [];
  });
  expect(lines.join('\n')).toMatchSnapshot();
});

test('what `-o name` prints of an answer', () => {
  const lines = manifest.operations.flatMap(({ id, response: { schema } }) => {
    const names = Object.keys(schema?.properties ?? {});
    return names.length > 0 ? [`${id}: ${entityName(Object.fromEntries(names.map((name) => [name, name])))}`] : [];
  });
  expect(lines.join('\n')).toMatchSnapshot();
});

describe('the table of entities', () => {
  const operations = new Set(manifest.operations.map(({ id }) => id));
  const names = Object.keys(entities) as EntityName[];

  test.each(names)('finds every %s by operations and commands that exist', (name) => {
    const { list, get, properties } = entityOf(name);
    for (const id of [get, 'operation' in list ? list.operation : undefined])
      if (id !== undefined) expect(operations).toContain(id);
    expect(wordsOfSource(list, manifest)).not.toEqual([]);
    expect(Object.keys(properties)).not.toEqual([]);
  });

  test('has the properties that references go by', () => {
    for (const { at, reference } of references)
      for (const by of reference.by)
        expect([at, Object.keys(entityOf(reference.entity).properties)]).toEqual([at, expect.arrayContaining([by])]);
  });

  test('has rows that have the properties', () => {
    for (const { at, reference } of references) {
      const { source, property } = rowsOf(reference, manifest);
      if (!('operation' in source)) continue;
      const row = manifest.operations.find(({ id }) => id === source.operation)?.response.schema;
      const columns = row?.type === 'array' ? row.items : row;
      expect([at, Object.keys(columns?.properties ?? {})]).toEqual([
        at,
        expect.arrayContaining([property.split('.')[0]]),
      ]);
    }
  });

  test('narrows a reference by parameters that come before it', () => {
    for (const { id, params } of manifest.operations)
      for (const [at, { schema }] of params.entries()) {
        const reference = schema['x-reference'];
        if (reference?.among) expect([id, rowsOf(reference, manifest).parameters]).toEqual([id, at]);
      }
  });
});

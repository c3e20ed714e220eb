/** References between fields and entities: the snapshots make changes visible, and the entity table is consistent. */
import { describe, expect, test } from 'vitest';
import { entityName } from '../../src/cli/output/format.ts';
import { rowsOf } from '../../src/cli/prompts/value-sources.ts';
import { formatArgumentName } from '../../src/cli/request/request-spec.ts';
import { type EntityName, entities, entityOf, type Reference } from '../../src/contract/entities.ts';
import { manifest } from '../../src/contract/manifest.ts';
import type { JsonSchema } from '../../src/contract/manifest-types.ts';

interface SchemaLocation {
  readonly at: string;
  readonly schema: JsonSchema;
}

/** Every schema within a schema. */
function within(schema: JsonSchema | undefined, at: string): SchemaLocation[] {
  if (!schema) return [];
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, one]) => within(one, `${at}.${name}`));
  const others = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  return [{ at, schema }, ...properties, ...others.flatMap((one) => within(one, at))];
}

const locations = manifest.operations.flatMap(({ id, params, query, body }) => [
  ...params.flatMap(({ name, schema }) => within(schema, `${id} {${name}}`)),
  ...query.flatMap(({ name, schema }) => within(schema, `${id} ?${name}`)),
  ...within(body, `${id} body`),
]);
const references = locations.flatMap(({ at, schema }) => {
  const reference = schema['x-reference'];
  return reference ? [{ at, reference }] : [];
});

function textOf({ entity, by, among }: Reference): string {
  const source = among && ('operation' in among ? among.operation : among.control);
  return `${entity} by ${by.join(' or ')}${among ? `, ${among.property} of ${source}` : ''}`;
}

test('the references of fields match the snapshot', () => {
  expect(references.map(({ at, reference }) => `${at}: ${textOf(reference)}`).join('\n')).toMatchSnapshot();
});

test('the fields that define names match the snapshot', () => {
  const defined = locations.flatMap(({ at, schema }) => {
    const definition = schema['x-defines'];
    return definition ? [`${at}: ${definition.entity} by ${definition.by}`] : [];
  });
  expect(defined.join('\n')).toMatchSnapshot();
});

test('the created entities and CLI arguments match the snapshot', () => {
  const lines = manifest.operations.flatMap((operation) => {
    const { id, creates, params } = operation;
    const names = params.map((param) => `<${formatArgumentName(param)}>`).join(' ');
    return creates || names ? [`${id} ${names}${creates ? ` creates ${creates}` : ''}`] : [];
  });
  expect(lines.join('\n')).toMatchSnapshot();
});

test('the names that `-o name` prints match the snapshot', () => {
  const lines = manifest.operations.flatMap(({ id, response: { schema } }) => {
    const names = Object.keys(schema?.properties ?? {});
    return names.length > 0 ? [`${id}: ${entityName(Object.fromEntries(names.map((name) => [name, name])))}`] : [];
  });
  expect(lines.join('\n')).toMatchSnapshot();
});

describe('the entity table', () => {
  const operations = new Set(manifest.operations.map(({ id }) => id));
  const names = Object.keys(entities) as EntityName[];

  test.each(names)('lists and reads every %s with existing operations', (name) => {
    const { list, get, properties } = entityOf(name);
    for (const id of [get, 'operation' in list ? list.operation : undefined])
      if (id !== undefined) expect(operations).toContain(id);
    expect(Object.keys(properties)).not.toEqual([]);
  });

  test('declares the properties that references use', () => {
    for (const { at, reference } of references)
      for (const by of reference.by)
        expect([at, Object.keys(entityOf(reference.entity).properties)]).toEqual([at, expect.arrayContaining([by])]);
  });

  test('declares list operations whose rows contain the properties', () => {
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

  test('restricts a reference by the parameters before it', () => {
    for (const { id, params } of manifest.operations)
      for (const [at, { schema }] of params.entries()) {
        const reference = schema['x-reference'];
        if (reference?.among) expect([id, rowsOf(reference, manifest).parameters]).toEqual([id, at]);
      }
  });
});

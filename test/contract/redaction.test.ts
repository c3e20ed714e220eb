import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { JsonSchema } from '../../src/contract/manifest-types.ts';
import {
  collectSensitiveTexts,
  FieldTree,
  hasSensitiveField,
  type RedactionStyle,
  redact,
} from '../../src/contract/redaction.ts';
import { sensitive } from '../../src/contract/sensitive.ts';

const style: RedactionStyle = {
  sensitive: (name) => `<${name}>`,
  undeclared: (names) => [['undeclared', names.length]],
  mistyped: '<mistyped>',
};

const key = sensitive(z.string(), 'secret');

function treeOf(schema: z.ZodType): FieldTree {
  return new FieldTree([z.toJSONSchema(schema, { unrepresentable: 'any' }) as JsonSchema]);
}

function redactWith(schema: z.ZodType, value: unknown): unknown {
  return redact(value, treeOf(schema), style);
}

interface Node {
  readonly name: string;
  readonly key?: string | undefined;
  readonly below?: Node[] | undefined;
}

const Node: z.ZodType<Node> = z
  .object({
    name: z.string(),
    key: key.optional(),
    get below() {
      return z.array(Node).optional();
    },
  })
  .meta({ id: 'RedactionNode' });

describe('the sensitivity of a field', () => {
  test('is preserved in derived schemas', () => {
    for (const schema of [
      key.optional(),
      key.describe('A key'),
      key.nullable(),
      key.default('x'),
      key.refine(() => true),
      key.optional().describe('A key'),
      z.union([z.int(), key]),
    ])
      expect(treeOf(z.object({ key: schema })).field('key')?.level).toBe('secret');
  });

  test('is the strongest of a union', () => {
    expect(treeOf(z.union([sensitive(z.string(), 'one-time'), key])).level).toBe('secret');
    expect(treeOf(z.union([sensitive(z.string(), 'one-time'), z.int()])).level).toBe('one-time');
  });

  test('keeps the description, and the name in the document', () => {
    const schema = sensitive(z.string().meta({ id: 'RedactionKey', description: 'A key' }), 'secret');
    expect(schema.meta()).toMatchObject({ description: 'A key', sensitive: 'secret' });
  });
});

describe('redaction', () => {
  test('hides sensitive fields, and what is not declared, at any depth', () => {
    const schema = z.object({ name: z.string(), deep: z.object({ key, list: z.array(z.object({ key })) }) });
    expect(
      redactWith(schema, { name: 'a', x: 's', deep: { key: 's', y: 's', list: [{ key: 's', z: { q: 's' } }] } }),
    ).toEqual({
      name: 'a',
      deep: { key: '<key>', list: [{ key: '<key>', undeclared: 1 }], undeclared: 1 },
      undeclared: 1,
    });
  });

  test('does not depend on field names', () => {
    expect(redactWith(z.object({ password: z.string(), plain: key }), { password: 'a', plain: 's' })).toEqual({
      password: 'a',
      plain: '<plain>',
    });
  });

  test('hides lists, objects and entries that are sensitive as a whole', () => {
    const schema = z.object({
      codes: z.array(key),
      all: sensitive(z.array(z.string()), 'one-time'),
      whole: sensitive(z.object({ a: z.string() }), 'secret'),
    });
    expect(redactWith(schema, { codes: ['s', 's'], all: ['s'], whole: { a: 's' } })).toEqual({
      codes: ['<codes>', '<codes>'],
      all: '<all>',
      whole: '<whole>',
    });
  });

  test('follows unions, records and references, also to themselves', () => {
    const union = z.union([
      z.object({ kind: z.literal('a'), key }),
      z.object({ kind: z.literal('b'), name: z.string() }),
    ]);
    expect(redactWith(union, { kind: 'a', key: 's', name: 'n', x: 's' })).toEqual({
      kind: 'a',
      key: '<key>',
      name: 'n',
      undeclared: 1,
    });
    expect(redactWith(z.record(z.string(), z.object({ key })), { a: { key: 's' } })).toEqual({ a: { key: '<key>' } });
    expect(
      redactWith(z.object({ one: Node, list: z.array(Node) }), { one: { name: 'a', key: 's' }, list: [] }),
    ).toEqual({
      one: { name: 'a', key: '<key>' },
      list: [],
    });
    expect(redactWith(Node, { name: 'a', below: [{ name: 'b', below: [{ name: 'c', key: 's', x: 's' }] }] })).toEqual({
      name: 'a',
      below: [{ name: 'b', below: [{ name: 'c', key: '<key>', undeclared: 1 }] }],
    });
  });

  test('hides values of undeclared types', () => {
    const schema = z.object({ deep: z.object({ a: z.string() }), list: z.array(z.object({ a: z.string() })) });
    expect(redactWith(schema, 's')).toBe('<mistyped>');
    expect(redactWith(schema, ['s'])).toEqual(['<mistyped>']);
    expect(redactWith(schema, { deep: 's', list: ['s', 1, null] })).toEqual({
      deep: '<mistyped>',
      list: ['<mistyped>', '<mistyped>', null],
    });
    expect(redactWith(z.object({ name: z.string() }), { name: { a: 's' } })).toEqual({ name: { undeclared: 1 } });
  });

  test('of an object that allows further fields hides them', () => {
    expect(redactWith(z.looseObject({ name: z.string() }), { name: 'a', other: 's' })).toEqual({
      name: 'a',
      undeclared: 1,
    });
  });

  test('does not confuse inherited properties with declared ones', () => {
    const value = JSON.parse('{"constructor": "s", "__proto__": {"a": "s"}, "toString": "s"}') as unknown;
    expect(redactWith(z.object({ name: z.string() }), value)).toEqual({ undeclared: 3 });
  });
});

test('reports hidden values', () => {
  const tree = treeOf(z.object({ name: z.string(), key, deep: z.object({ key }).optional() }));
  expect(hasSensitiveField({ name: 'a' }, tree)).toBe(false);
  for (const value of [{ key: 's' }, { deep: { key: '' } }, { x: 1 }, 's', { deep: 's' }])
    expect(hasSensitiveField(value, tree)).toBe(true);
  expect(collectSensitiveTexts({ name: 'a', key: 'b', deep: { key: 'c' }, other: { d: ['d', 1] } }, tree)).toEqual([
    'b',
    'c',
    'd',
  ]);
});

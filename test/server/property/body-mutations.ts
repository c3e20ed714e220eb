/** Mutations of the body of a request. */
import fc from 'fast-check';
import * as z from 'zod';
import { tables } from '../../../src/server/store/tables.ts';
import { type MutatedRequest, type Mutation, withHeaders } from './mutation.ts';
import {
  type Draft,
  type Draw,
  drawOne,
  jsonTypeOf,
  listPaths,
  listTypes,
  type RequestSource,
  toJsonSchema,
  type ValuePath,
  withValue,
} from './request-generator.ts';

/** Names of all stored fields, and names of prototype members. */
const stored = Object.values(tables).flatMap(({ schema }) => {
  const { properties = {} } = z.toJSONSchema(schema as z.ZodType, { unrepresentable: 'any' });
  return Object.keys(properties);
});
const prototypes = ['__proto__', 'constructor', 'prototype', 'toString'];

function listBodyPaths({ body }: Draft, { operation }: RequestSource): ValuePath[] {
  return operation.request.body ? listPaths(body, toJsonSchema(operation.request.body)) : [];
}

/** The last name in a path: items of a list have the name of the list. */
function nameOf(path: ValuePath['path']): string | undefined {
  return path.findLast((step) => typeof step === 'string');
}

const samples: readonly unknown[] = [null, 7, -1.5, true, 'text', [], {}, [[]], { toString: 'x' }, 1e300];

/** Whether an object may have members that its schema does not name. */
export function allowsAdditional(schema: object): boolean {
  return 'additionalProperties' in schema && schema.additionalProperties !== false;
}

function unknownMember(
  draw: Draw,
  draft: Draft,
  source: RequestSource,
  names: readonly string[],
): MutatedRequest | undefined {
  if (!source.operation.request.body) return undefined;
  const root: ValuePath = { path: [], schema: toJsonSchema(source.operation.request.body), required: true };
  const objects = [root, ...listBodyPaths(draft, source)].filter(
    ({ schema }) => schema.properties !== undefined && !allowsAdditional(schema),
  );
  if (objects.length === 0) return undefined;
  const { path, schema } = drawOne(draw, objects);
  const unknown = names.filter((name) => !Object.hasOwn(schema.properties ?? {}, name));
  const field = drawOne(draw, unknown);
  const value = drawOne(draw, ['x', true, 7, ['ADMIN'], { polluted: true }]);
  return { draft: { ...draft, body: withValue(draft.body, [...path, field], value) }, isRejected: true, field };
}

function rawBody(draft: Draft, { operation }: RequestSource, raw: string | Buffer): MutatedRequest | undefined {
  return operation.request.body && { draft: { ...draft, raw }, isRejected: true };
}

export const bodyMutations: Readonly<Record<string, Mutation>> = {
  'a value of the wrong type': (draw, draft, source) => {
    const candidates = listBodyPaths(draft, source).filter(({ schema }) => listTypes(schema).size > 0);
    if (candidates.length === 0) return undefined;
    const { path, schema } = drawOne(draw, candidates);
    const types = listTypes(schema);
    // A member that is null counts as absent.
    const allowed = typeof path.at(-1) === 'string' ? new Set([...types, 'null']) : types;
    const wrong = samples.filter((sample) => !allowed.has(jsonTypeOf(sample)));
    const body = withValue(draft.body, path, drawOne(draw, wrong));
    return { draft: { ...draft, body }, isRejected: true, field: nameOf(path) };
  },
  'a body of the wrong type': (draw, draft, source) => {
    if (!source.operation.request.body) return undefined;
    const types = listTypes(toJsonSchema(source.operation.request.body));
    const wrong = samples.filter((sample) => !types.has(jsonTypeOf(sample)));
    return { draft: { ...draft, body: drawOne(draw, wrong) }, isRejected: true };
  },
  'a missing field': (draw, draft, source) => {
    const candidates = listBodyPaths(draft, source).filter(({ required }) => required);
    if (candidates.length === 0) return undefined;
    const { path } = drawOne(draw, candidates);
    return { draft: { ...draft, body: withValue(draft.body, path, undefined) }, isRejected: true, field: nameOf(path) };
  },
  'a field that is stored but not sent': (draw, draft, source) => unknownMember(draw, draft, source, stored),
  'a field that reaches into prototypes': (draw, draft, source) => unknownMember(draw, draft, source, prototypes),
  'a text that is too long': (draw, draft, source) => {
    const candidates = listBodyPaths(draft, source).filter(({ schema }) => listTypes(schema).has('string'));
    if (candidates.length === 0) return undefined;
    const { path, schema } = drawOne(draw, candidates);
    const more = draw(fc.integer, { min: 3000, max: 9000 });
    const body = withValue(
      draft.body,
      path,
      drawOne(draw, ['x', 'Ä', '🦊', '\0']).repeat((schema.maxLength ?? 0) + more),
    );
    return { draft: { ...draft, body }, isRejected: true, field: nameOf(path) };
  },
  'a list that is too long': (draw, draft, source) => {
    const candidates = listBodyPaths(draft, source).filter(({ schema }) => schema.type === 'array');
    if (candidates.length === 0) return undefined;
    const { path } = drawOne(draw, candidates);
    const body = withValue(
      draft.body,
      path,
      Array.from({ length: 5000 }, () => drawOne(draw, ['A', { groupName: 'a' }])),
    );
    return { draft: { ...draft, body }, isRejected: true, field: nameOf(path) };
  },
  'a body that is too deep': (draw, draft, source) => {
    const [open, close] = drawOne(draw, [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const);
    const depth = draw(fc.integer, { min: 40, max: 50_000 });
    return rawBody(draft, source, `${open.repeat(depth)}1${close.repeat(depth)}`);
  },
  'a body that is not JSON': (draw, draft, source) =>
    rawBody(
      draft,
      source,
      drawOne(draw, ['', ' ', '{', '{"a":}', 'NaN', "{'a':1}", '{}{}', '\ufeff{', '{"a":1,}', '//', '\0']),
    ),
  'a truncated body': (draw, draft, source) => {
    const text = JSON.stringify(draft.body) ?? '';
    return text.startsWith('{')
      ? rawBody(draft, source, text.slice(0, draw(fc.nat, { max: text.length - 1 })))
      : undefined;
  },
  'a body that is not UTF-8': (draw, draft, source) => {
    const text = Buffer.from(JSON.stringify(draft.body) ?? '{}');
    const at = draw(fc.nat, { max: text.length });
    const bytes = Buffer.from(drawOne(draw, [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]));
    return rawBody(draft, source, Buffer.concat([text.subarray(0, at), bytes, text.subarray(at)]));
  },
  'a body of a megabyte and more': (_, draft, source) => {
    if (source.operation.request.bodyLimit !== undefined) return undefined;
    const tooLarge = rawBody(draft, source, Buffer.alloc(1_000_001, ' '));
    return tooLarge ? { ...tooLarge, statuses: [413] } : { draft: { ...draft, raw: Buffer.alloc(1_000_001, ' ') } };
  },
  'an unsupported content type': (draw, draft, source) => {
    if (!source.operation.request.body) return undefined;
    const types = [
      'text/plain',
      'application/xml',
      'application/json; charset=utf-16',
      'json',
      '',
      'application/jsonx',
    ];
    return { draft: withHeaders(draft, ['Content-Type', drawOne(draw, types)]), isRejected: true, statuses: [415] };
  },
  'a compressed body': (draw, draft, source) => {
    if (!source.operation.request.body) return undefined;
    const encoding = drawOne(draw, ['gzip', 'br', 'deflate', 'x', 'identity, gzip']);
    return { draft: withHeaders(draft, ['Content-Encoding', encoding]), isRejected: true, statuses: [415] };
  },
  'an unexpected body': (draw, draft, source) =>
    source.operation.request.body
      ? undefined
      : { draft: { ...draft, raw: drawOne(draw, ['', '{', '\0', '{"__proto__":1}']) } },
};

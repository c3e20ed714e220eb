/** Random requests that match the declaration of an operation: the input of the mutations. */
import fc from 'fast-check';
import * as z from 'zod';
import type { JsonSchema } from '../../../src/contract/manifest-types.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import type { RawRequest } from './raw-sender.ts';

/** Draws a random value; fast-check repeats and shrinks it. */
export type Draw = fc.GeneratorValue;

/** A request in parts. */
export interface Draft {
  readonly method: string;
  readonly prefix: string;
  /** Percent-encoded, after the prefix. */
  readonly segments: readonly string[];
  /** `name=value`, percent-encoded. */
  readonly query: readonly string[];
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: unknown;
  /** Sent instead of `body`. */
  readonly raw?: string | Buffer;
}

/** A member of a JSON value, or an item of a list in it. */
export interface ValuePath {
  readonly path: readonly (string | number)[];
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** The input of the generator. */
export interface RequestSource {
  readonly operation: Operation<never>;
  /** Of the interface or of the control plane. */
  readonly prefix: string;
  readonly authorization: string;
  /** The credential of the client, where Authorization contains that of the user. */
  readonly bearer: string;
  /** Ids and names of what is in the store, so that some requests reference existing objects. */
  readonly pool: readonly string[];
}

export function drawOne<Value>(draw: Draw, values: readonly Value[]): Value {
  const at = draw(fc.nat, { max: values.length - 1 });
  return values[at] as Value;
}

/** A request that matches the declaration, as far as its JSON Schema describes it. */
export function drawRequest(draw: Draw, { operation, prefix, authorization, bearer, pool }: RequestSource): Draft {
  const { method, path, request } = operation;
  const segments = path.split('/').slice(1);
  const body = request.body ? drawValue(draw, toJsonSchema(request.body), pool) : undefined;
  const query = Object.entries(request.query ?? {}).flatMap(([name, schema]) =>
    name === 'after' || isCredential(operation, name) || (schema.safeParse(undefined).success && draw(fc.boolean))
      ? []
      : [`${name}=${encodeURIComponent(String(drawValue(draw, toJsonSchema(schema), pool)))}`],
  );
  return {
    method,
    prefix,
    segments: segments.map((segment) =>
      segment.startsWith('{') ? parameter(draw, operation, segment, pool) : segment,
    ),
    query,
    headers: [
      ['Authorization', request.userBasicAuth ? bearer : authorization],
      ...Object.keys(request.headers ?? {}).map((name) => [name, drawOne(draw, headerValues)] as const),
      ...(request.body ? ([['Content-Type', request.form ? formType : 'application/json']] as const) : []),
    ],
    body,
  };
}

/** Characters that are valid in a header. */
const headerValues = ['a', 'value-of-a-header', '127.0.0.1'];

/** A client that authenticates with its secret needs no `clientId`, and a different one would be rejected. */
function isCredential({ auth }: Operation<never>, name: string): boolean {
  return auth === 'client-id' && name === 'clientId';
}

const formType = 'application/x-www-form-urlencoded';

function parameter(draw: Draw, { request }: Operation<never>, segment: string, pool: readonly string[]): string {
  const schema = request.params?.[segment.slice(1, -1)] ?? z.string();
  const named = schema instanceof z.ZodEnum ? schema.options.map(String) : [];
  const fitting = [...pool, ...named, 'unknown-name', 'NOTHING'].filter((text) => schema.safeParse(text).success);
  return encodeURIComponent(drawOne(draw, fitting));
}

export function toRawRequest(draft: Draft): RawRequest {
  const search = draft.query.length === 0 ? '' : `?${draft.query.join('&')}`;
  const path = `${draft.prefix}/${draft.segments.join('/')}${search}`;
  const isForm = draft.headers.some(([, value]) => value === formType);
  const body =
    draft.raw ?? (draft.body === undefined ? undefined : isForm ? encodeForm(draft.body) : JSON.stringify(draft.body));
  return { method: draft.method, path, headers: draft.headers, body };
}

function encodeForm(body: unknown): string {
  return new URLSearchParams(
    Object.entries(Object(body)).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}

/** Each request that is drawn needs several: their conversion took a fifth of the processor time. */
const converted = new WeakMap<z.ZodType, JsonSchema>();

/** The JSON Schema of a caller's input, without references. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const known = converted.get(schema) ?? convert(schema);
  converted.set(schema, known);
  return known;
}

function convert(schema: z.ZodType): JsonSchema {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>;
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...rest } = value as Record<string, unknown>;
    const referred = typeof $ref === 'string' ? ($defs as Record<string, object>)[$ref.split('/').at(-1) ?? ''] : {};
    return Object.fromEntries(Object.entries({ ...referred, ...rest }).map(([key, item]) => [key, resolve(item)]));
  };
  return resolve(root) as JsonSchema;
}

function drawValue(draw: Draw, schema: JsonSchema, pool: readonly string[]): unknown {
  if (schema.anyOf) return drawValue(draw, drawOne(draw, schema.anyOf), pool);
  if (schema.enum) return drawOne(draw, schema.enum);
  if ('const' in schema) return schema.const;
  switch (schema.type) {
    case 'string':
      return drawText(draw, schema, pool);
    case 'integer':
    case 'number':
      return draw(fc.integer, { min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1000, 1000) });
    case 'boolean':
      return draw(fc.boolean);
    case 'array':
      return Array.from({ length: draw(fc.nat, { max: 3 }) }, () => drawValue(draw, schema.items ?? {}, pool));
    case 'object':
      return drawObject(draw, schema, pool);
    default:
      return draw(fc.jsonValue, { maxDepth: 1 });
  }
}

function drawObject(draw: Draw, { properties = {}, required = [] }: JsonSchema, pool: readonly string[]): object {
  const entries = Object.entries(properties).filter(([name]) => required.includes(name) || draw(fc.boolean));
  return Object.fromEntries(entries.map(([name, schema]) => [name, drawValue(draw, schema, pool)]));
}

const sampleTexts = [
  'A',
  'DEPLOY',
  'a',
  'text',
  'https://example.com/',
  'a@example.com',
  '2026-01-01T00:00:00Z',
  '123456',
];

/** A known text or one that matches the pattern; any other text where there is no pattern. */
function drawText(draw: Draw, schema: JsonSchema, pool: readonly string[]): string {
  const { pattern, format, minLength = 0, maxLength = 20 } = schema;
  const expression = pattern === undefined ? undefined : new RegExp(pattern);
  const fits = (text: string) =>
    (expression?.test(text) ?? true) && text.length >= minLength && text.length <= Math.max(maxLength, 20);
  const known = [...pool, ...sampleTexts, Buffer.alloc(32, draw(fc.nat, { max: 255 })).toString('base64')].filter(fits);
  if (expression || format !== undefined || draw(fc.boolean)) return known.length > 0 ? drawOne(draw, known) : 'text';
  return draw(fc.string, { unit: 'grapheme', minLength: Math.max(minLength, 1), maxLength: Math.min(maxLength, 20) });
}

/** Every member of a value and every item of a list in it, with its schema. */
export function listPaths(value: unknown, schema: JsonSchema, path: ValuePath['path'] = []): ValuePath[] {
  const chosen = schema.anyOf?.find((option) => listTypes(option).has(jsonTypeOf(value))) ?? schema;
  if (Array.isArray(value))
    return value.flatMap((item, at) =>
      listPathsBelow(item, { path: [...path, at], schema: chosen.items ?? {}, required: false }),
    );
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const required = chosen.required?.includes(name) ?? false;
    return listPathsBelow(item, { path: [...path, name], schema: chosen.properties?.[name] ?? {}, required });
  });
}

function listPathsBelow(value: unknown, place: ValuePath): ValuePath[] {
  return [place, ...listPaths(value, place.schema, place.path)];
}

/** The JSON types that a schema accepts; empty where it accepts any. */
export function listTypes(schema: JsonSchema): ReadonlySet<string> {
  if (schema.anyOf) return new Set(schema.anyOf.flatMap((option) => [...listTypes(option)]));
  const types = schema.enum ? schema.enum.map(jsonTypeOf) : [schema.type ?? []].flat();
  return new Set(types.includes('number') ? [...types, 'integer'] : types);
}

export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** A copy with another value at the path; `undefined` removes the member. */
export function withValue(body: unknown, path: ValuePath['path'], value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  const copy: object = Array.isArray(body) ? [...body] : { ...(body as object) };
  const inner = withValue((body as Record<string | number, unknown>)[first], rest, value);
  if (inner === undefined) Reflect.deleteProperty(copy, first);
  // An assignment to __proto__ would set the prototype instead of adding a member.
  else Object.defineProperty(copy, first, { value: inner, enumerable: true, configurable: true, writable: true });
  return copy;
}

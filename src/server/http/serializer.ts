/** From answers to bytes: every answer is parsed by its schema first, so that nothing undeclared leaves the server. */
import { hash } from 'node:crypto';
import type * as z from 'zod';

interface SerializedValue {
  readonly json: string;
  /** Made when it is first asked for: most members of lists never are. */
  etag?: string;
}

/** Wire forms of values that handlers return again and again, by schema and by identity. */
const serialized = new WeakMap<z.ZodType, WeakMap<object, SerializedValue>>();

/**
 * The JSON of a value that is never changed in place. Kept as long as the value itself is.
 * @throws ZodError where the value does not fit: a fault of the handler, answered as 500.
 */
export function serializeJson(schema: z.ZodType, value: object): string {
  return serialize(schema, value).json;
}

/** `wireJson` of a value that nobody returns again. */
export function serializeJsonOnce(schema: z.ZodType, value: object): string {
  return JSON.stringify(schema.parse(value));
}

/** `wireJson` of many values of one schema. */
export function createSerializer(schema: z.ZodType): (value: object) => string {
  const known = getOrCreateCache(schema);
  return (value) => known.get(value)?.json ?? serializeJson(schema, value);
}

/** A strong ETag (RFC 9110, 8.8.3) of the JSON of a value. @throws as `wireJson` does. */
export function computeEtag(schema: z.ZodType, value: object): string {
  const wire = serialize(schema, value);
  wire.etag ??= `"${hash('sha1', wire.json, 'base64url')}"`;
  return wire.etag;
}

function serialize(schema: z.ZodType, value: object): SerializedValue {
  const known = getOrCreateCache(schema);
  const cached = known.get(value);
  if (cached) return cached;
  const created = { json: serializeJsonOnce(schema, value) };
  known.set(value, created);
  return created;
}

function getOrCreateCache(schema: z.ZodType): WeakMap<object, SerializedValue> {
  const known = serialized.get(schema);
  if (known) return known;
  const created = new WeakMap<object, SerializedValue>();
  serialized.set(schema, created);
  return created;
}

/** Whether If-Match holds for this ETag: `*`, or one of the list. */
export function matchesEtag(ifMatch: string, etag: string): boolean {
  return ifMatch.trim() === '*' || ifMatch.split(',').some((candidate) => candidate.trim() === etag);
}

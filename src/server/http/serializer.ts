/** Serializes responses. Every response is parsed with its schema first, so that no undeclared field is sent. */
import { hash } from 'node:crypto';
import type * as z from 'zod';

interface SerializedValue {
  readonly json: string;
  /** Computed on first use: most items of lists never need it. */
  etag?: string;
}

/** Cache of serialized values by schema and object identity, for values that handlers return repeatedly. */
const serialized = new WeakMap<z.ZodType, WeakMap<object, SerializedValue>>();

/**
 * Serializes a value that is never mutated. Cached as long as the value is referenced.
 * @throws ZodError if the value does not match the schema: a bug in the handler, returned as 500.
 */
export function serializeJson(schema: z.ZodType, value: object): string {
  return serialize(schema, value).json;
}

/** Like `serializeJson`, without the cache. */
export function serializeJsonOnce(schema: z.ZodType, value: object): string {
  return JSON.stringify(schema.parse(value));
}

/** Creates a `serializeJson` for many values of one schema. */
export function createSerializer(schema: z.ZodType): (value: object) => string {
  const known = getOrCreateCache(schema);
  return (value) => known.get(value)?.json ?? serializeJson(schema, value);
}

/** Computes a strong ETag (RFC 9110, 8.8.3) of the JSON of a value. @throws ZodError, as `serializeJson` does. */
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

/** Returns whether If-Match matches this ETag: `*`, or one of the list. */
export function matchesEtag(ifMatch: string, etag: string): boolean {
  return ifMatch.trim() === '*' || ifMatch.split(',').some((candidate) => candidate.trim() === etag);
}

/** From answers to bytes: every answer is parsed by its schema first, so that nothing undeclared leaves the server. */
import { hash } from 'node:crypto';
import type * as z from 'zod';

interface Wire {
  readonly json: string;
  /** Made when it is first asked for: most members of lists never are. */
  etag?: string;
}

/** Wire forms of values that handlers return again and again, by schema and by identity. */
const kept = new WeakMap<z.ZodType, WeakMap<object, Wire>>();

/**
 * The JSON of a value that is never changed in place. Kept as long as the value itself is.
 * @throws ZodError where the value does not fit: a fault of the handler, answered as 500.
 */
export function wireJson(schema: z.ZodType, value: object): string {
  return wireOf(schema, value).json;
}

/** `wireJson` of a value that nobody returns again. */
export function wireJsonOnce(schema: z.ZodType, value: object): string {
  return JSON.stringify(schema.parse(value));
}

/** `wireJson` of many values of one schema. */
export function wireJsonOf(schema: z.ZodType): (value: object) => string {
  const known = keptBy(schema);
  return (value) => known.get(value)?.json ?? wireJson(schema, value);
}

/** A strong ETag (RFC 9110, 8.8.3) of the JSON of a value. @throws as `wireJson` does. */
export function wireEtag(schema: z.ZodType, value: object): string {
  const wire = wireOf(schema, value);
  wire.etag ??= `"${hash('sha1', wire.json, 'base64url')}"`;
  return wire.etag;
}

function wireOf(schema: z.ZodType, value: object): Wire {
  const known = keptBy(schema);
  const there = known.get(value);
  if (there) return there;
  const made = { json: wireJsonOnce(schema, value) };
  known.set(value, made);
  return made;
}

function keptBy(schema: z.ZodType): WeakMap<object, Wire> {
  const known = kept.get(schema);
  if (known) return known;
  const made = new WeakMap<object, Wire>();
  kept.set(schema, made);
  return made;
}

/** Whether If-Match holds for this ETag: `*`, or one of the list. */
export function etagMatches(ifMatch: string, etag: string): boolean {
  return ifMatch.trim() === '*' || ifMatch.split(',').some((candidate) => candidate.trim() === etag);
}

/** From answers to bytes: every answer is parsed by its schema first, so that nothing undeclared leaves the server. */
import { createHash } from 'node:crypto';
import type { z } from 'zod';

/** Wire forms of values that handlers return again and again, by schema and by identity. */
const kept = new WeakMap<z.ZodType, WeakMap<object, string>>();

/**
 * The JSON of a value that is never changed in place. Kept as long as the value itself is.
 * @throws ZodError where the value does not fit: a fault of the handler, answered as 500.
 */
export function wireJson(schema: z.ZodType, value: object): string {
  const known = keptBy(schema);
  const json = known.get(value) ?? JSON.stringify(schema.parse(value));
  known.set(value, json);
  return json;
}

function keptBy(schema: z.ZodType): WeakMap<object, string> {
  const known = kept.get(schema) ?? new WeakMap<object, string>();
  kept.set(schema, known);
  return known;
}

/** A strong ETag (RFC 9110, 8.8.3) of a JSON text. */
export function etagOf(json: string): string {
  return `"${createHash('sha1').update(json).digest('base64url')}"`;
}

/** Whether If-Match holds for this ETag: `*`, or one of the list. */
export function etagMatches(ifMatch: string, etag: string): boolean {
  return ifMatch.trim() === '*' || ifMatch.split(',').some((candidate) => candidate.trim() === etag);
}

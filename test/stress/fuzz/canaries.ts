/**
 * Canary secrets: inserted into the sensitive fields of requests, and searched for, in all encodings, in everything
 * that the server stores or returns afterwards.
 */
import fc from 'fast-check';
import { looksSensitive } from '../../secret-names.ts';
import {
  type Draft,
  type Draw,
  listPaths,
  type RequestSource,
  toJsonSchema,
  withValue,
} from '../../server/property/request-generator.ts';

/** A canary in the form of a password, and one in the form of an API key. */
export const canaryValues = [
  'Canary-of-the-fuzz-7Zq',
  Buffer.from('Canary of the fuzz, as a key 7Zq').toString('base64'),
];

interface TextSchema {
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** Returns a canary that the schema accepts; undefined e.g. for codes of a few digits, which match other numbers. */
function findFittingCanary({ pattern, format, minLength = 0, maxLength = 1000 }: TextSchema): string | undefined {
  if (format !== undefined) return undefined;
  const expression = new RegExp(pattern ?? '');
  return canaryValues.find((one) => expression.test(one) && one.length >= minLength && one.length <= maxLength);
}

/** Returns the request with canaries in about half of its sensitive fields. */
export function insertCanaries(draw: Draw, draft: Draft, { operation: { request } }: RequestSource): Draft {
  let { body } = draft;
  for (const { path, schema } of request.body ? listPaths(body, toJsonSchema(request.body)) : []) {
    const canary = schema.type === 'string' && schema.sensitive !== undefined ? findFittingCanary(schema) : undefined;
    if (canary !== undefined && draw(fc.boolean)) body = withValue(body, path, canary);
  }
  const query = draft.query.map((part) => {
    const [name = ''] = part.split('=');
    return looksSensitive(name) && draw(fc.boolean) ? `${name}=${canaryValues[0]}` : part;
  });
  return { ...draft, body, query };
}

/** Returns a secret in all encodings: plain, URL-encoded and Base64, each with and without a name before it. */
export function listEncodings(secret: string, names: readonly string[]): string[] {
  const texts = [secret, ...names.map((name) => `${name}:${secret}`)];
  return texts.flatMap((text) => {
    const bytes = Buffer.from(text);
    // Base64 depends on the offset modulo 3; the ends are cut off because they mix with adjacent bytes.
    const shifted = [0, 1, 2].map((before) =>
      Buffer.concat([Buffer.alloc(before), bytes])
        .toString('base64')
        .slice(4, -4),
    );
    return [text, encodeURIComponent(text), ...shifted, bytes.toString('base64url')];
  });
}

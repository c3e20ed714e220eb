/**
 * Secrets that are known by their looks: put wherever a request has a place for one, and looked for in everything that
 * the server keeps or tells afterwards, in each form in which they might stand there.
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

/** What is sent: one as people make them up, and one as an API key has to be. */
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

/** The one that fits what a field has to look like; codes of a few digits can't be told from other numbers. */
function findFittingCanary({ pattern, format, minLength = 0, maxLength = 1000 }: TextSchema): string | undefined {
  if (format !== undefined) return undefined;
  const expression = new RegExp(pattern ?? '');
  return canaryValues.find((one) => expression.test(one) && one.length >= minLength && one.length <= maxLength);
}

/** The request with canaries in about half of the places for secrets. */
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

/** A secret as it may be written: as it is, in an address, in Base64, with its name before it or without. */
export function listEncodings(secret: string, names: readonly string[]): string[] {
  const texts = [secret, ...names.map((name) => `${name}:${secret}`)];
  return texts.flatMap((text) => {
    const bytes = Buffer.from(text);
    // The same bytes after one or two others stand otherwise in Base64; the first and the last of them are not looked at.
    const shifted = [0, 1, 2].map((before) =>
      Buffer.concat([Buffer.alloc(before), bytes])
        .toString('base64')
        .slice(4, -4),
    );
    return [text, encodeURIComponent(text), ...shifted, bytes.toString('base64url')];
  });
}

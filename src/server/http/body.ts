/** Reads bodies: bounded in length, depth and number of values, UTF-8 only, without names that reach into prototypes. */
import type { IncomingMessage } from 'node:http';
import { fault } from '../../contract/errors.ts';

const deepest = 32;
/** As many as the longest list that an operation takes needs (10,000 objects of one member), and as many again. */
export const mostValues = 40_000;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws IamError CONTENT_TYPE_UNSUPPORTED, BODY_TOO_LARGE, BODY_NOT_JSON, BODY_TOO_DEEP, BODY_TOO_COMPLEX, FIELD_UNKNOWN. */
export async function readJson(
  request: IncomingMessage,
  limits: { readonly bytes: number; readonly values: number },
): Promise<unknown> {
  requireJsonType(request);
  const text = decode(await readBytes(request, limits.bytes));
  if (text.trim() === '') throw fault('BODY_NOT_JSON', 'The body is empty where JSON is due.');
  assertBounded(text, limits.values);
  return parse(text);
}

/** RFC 6749 and its extensions name some twenty parameters; what is not known is ignored. */
const mostFields = 100;

/**
 * The fields of a form, as text. @throws IamError CONTENT_TYPE_UNSUPPORTED, BODY_TOO_LARGE, BODY_TOO_COMPLEX,
 * BODY_NOT_JSON (unreadable), QUERY_REPEATED (RFC 6749, 3.2: no parameter more than once).
 */
export async function readForm(request: IncomingMessage, limit: number): Promise<Record<string, string>> {
  requirePlain(request);
  const [type = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/x-www-form-urlencoded')
    throw fault(
      'CONTENT_TYPE_UNSUPPORTED',
      'The body must be sent as Content-Type: application/x-www-form-urlencoded.',
    );
  const text = decode(await readBytes(request, limit));
  requireFewFields(text);
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) throw fault('QUERY_REPEATED', `${name} is given more than once.`);
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

function requireFewFields(text: string): void {
  let fields = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) fields += 1;
  if (fields > mostFields) throw fault('BODY_TOO_COMPLEX', `The form has more than ${mostFields} fields.`);
}

/** Whether a request has neither a body nor says of what type it would be. */
export function sendsNothing({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'] ?? '0';
  return headers['content-type'] === undefined && headers['transfer-encoding'] === undefined && length === '0';
}

function requirePlain({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw fault('CONTENT_TYPE_UNSUPPORTED', 'Compressed bodies are not taken.', { 'Accept-Encoding': 'identity' });
}

function requireJsonType(request: IncomingMessage): void {
  requirePlain(request);
  const { headers } = request;
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (
    !/^application\/([a-z0-9.+-]+\+)?json$/.test(type) ||
    (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
  )
    throw fault('CONTENT_TYPE_UNSUPPORTED', 'The body must be sent as Content-Type: application/json in UTF-8.', {
      Accept: 'application/json',
    });
}

/**
 * What is too long is read on and thrown away, as far as the time for a request goes: ending the connection under a
 * caller who still sends would take the answer away from him.
 */
async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else reject(tooLarge(limit));
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // Nobody is there any more to read the answer, and nothing is wrong here.
    request.on('error', () => reject(fault('REQUEST_TIMEOUT', 'The request broke off.')));
  });
}

function tooLarge(limit: number) {
  return fault('BODY_TOO_LARGE', `The body is longer than ${limit} bytes.`);
}

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw fault('BODY_NOT_JSON', 'The body is not valid UTF-8.');
  }
}

/** Depth and values are counted before parsing, in one pass; what stands inside strings does not count. */
function assertBounded(text: string, most: number): void {
  let depth = 0;
  let values = 1;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x22) quoted = !quoted;
    else if (quoted) at += character === 0x5c ? 1 : 0;
    else if (character === 0x2c) values += 1;
    else if (character === 0x7d || character === 0x5d) depth -= 1;
    else if (character === 0x7b || character === 0x5b) {
      depth += 1;
      values += 1;
      if (depth > deepest) throw fault('BODY_TOO_DEEP', `The body is nested deeper than ${deepest} levels.`);
    }
  }
  if (values > most) throw fault('BODY_TOO_COMPLEX', `The body has more than ${most} values.`);
}

function parse(text: string): unknown {
  try {
    return text.includes('__proto__') ? JSON.parse(text, refusePrototype) : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw fault('BODY_NOT_JSON');
    throw error;
  }
}

/** `__proto__` as a member would be an own property here and a prototype after the next copy. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw fault('FIELD_UNKNOWN', '__proto__ is not a field.');
  return value;
}

/** Reads request bodies: UTF-8 only, limited in length (setting `body-limit`, or the operation's own limit), depth and number of values, without `__proto__` members. */
import type { IncomingMessage } from 'node:http';
import { apiError, detailedError, fieldError, formatPath, type IamError } from '../../contract/errors.ts';
import { findUnstorableText, isStorableText } from '../lib/storable-text.ts';
import { parseBoundedJson } from './bounded-json.ts';
import { parseLargeJson } from './large-json.ts';
import { findMalformedNames } from './query.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws IamError CONTENT_TYPE_UNSUPPORTED, BODY_TOO_LARGE, BODY_NOT_JSON, BODY_TOO_DEEP, BODY_TOO_COMPLEX, FIELD_UNKNOWN. */
export async function readJson(
  request: IncomingMessage,
  limit: number,
  { isLarge = false, bytes }: { readonly isLarge?: boolean; readonly bytes?: Buffer | undefined } = {},
): Promise<unknown> {
  assertJsonContentType(request);
  const text = decode(bytes ?? (await readBytes(request, limit)));
  if (!/\S/.test(text)) throw apiError('BODY_NOT_JSON', 'The body is empty. Send JSON.');
  // Files of the state may come from a store that contains such text.
  if (isLarge) return parseLargeJson(text);
  const value = parseBoundedJson(text);
  const unstorable = findUnstorableText(value, text);
  if (unstorable) throw createTextError(formatPath(unstorable));
  return value;
}

function createTextError(field: string): IamError {
  return fieldError('FIELD_TYPE', field, `${field || 'The body'} must be text without U+0000 and lone surrogates.`);
}

/** RFC 6749 and its extensions define about twenty parameters; unknown ones are ignored. */
const maxFields = 100;

/** Reads a form or, if the Content-Type is JSON, a JSON value. @throws the errors of `readForm` and `readJson`. */
export function readFormOrJson(
  request: IncomingMessage,
  limit: number,
  repeatable?: readonly string[],
): Promise<unknown> {
  return isJsonType(parseMediaType(request).type) ? readJson(request, limit) : readForm(request, limit, repeatable);
}

/**
 * Reads the fields of a form, as text. @throws IamError CONTENT_TYPE_UNSUPPORTED, BODY_TOO_LARGE, BODY_TOO_COMPLEX,
 * BODY_NOT_JSON (unreadable), FIELD_TYPE (malformed percent-encoding), QUERY_REPEATED (RFC 6749, 3.2: no parameter more than once).
 */
async function readForm(
  request: IncomingMessage,
  limit: number,
  repeatable: readonly string[] = [],
): Promise<Record<string, string | string[]>> {
  assertUncompressed(request);
  if (parseMediaType(request).type !== 'application/x-www-form-urlencoded')
    throw apiError(
      'CONTENT_TYPE_UNSUPPORTED',
      'The body must be sent as Content-Type: application/x-www-form-urlencoded or application/json.',
      { Accept: 'application/x-www-form-urlencoded, application/json' },
    );
  const text = decode(await readBytes(request, limit));
  assertFieldCount(text);
  const [malformed] = findMalformedNames(text);
  if (malformed !== undefined)
    throw fieldError('FIELD_TYPE', malformed, `${malformed} is not valid percent-encoding of UTF-8.`);
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const previous = fields.get(name);
    if (previous !== undefined && !repeatable.includes(name))
      throw fieldError('QUERY_REPEATED', name, `${name} is given more than once.`);
    if (!isStorableText(value)) throw createTextError(name);
    fields.set(name, previous === undefined ? value : [previous, value].flat());
  }
  return Object.fromEntries(fields);
}

function assertFieldCount(text: string): void {
  let fields = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) fields += 1;
  if (fields > maxFields)
    throw detailedError('BODY_TOO_COMPLEX', { limit: maxFields }, `The form has more than ${maxFields} fields.`);
}

/** Returns whether a request has neither a body nor a Content-Type. */
export function hasNoBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'] ?? '0';
  return headers['content-type'] === undefined && headers['transfer-encoding'] === undefined && length === '0';
}

function assertUncompressed({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw apiError('CONTENT_TYPE_UNSUPPORTED', 'Compressed bodies are not supported.', {
      'Accept-Encoding': 'identity',
    });
}

interface MediaType {
  readonly type: string;
  readonly parameters: readonly string[];
}

/** The Content-Type in lower case; an empty type if there is none. */
function parseMediaType({ headers }: IncomingMessage): MediaType {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  return { type, parameters };
}

function isJsonType(type: string): boolean {
  return /^application\/([a-z0-9.+-]+\+)?json$/.test(type);
}

function assertJsonContentType(request: IncomingMessage): void {
  assertUncompressed(request);
  const { type, parameters } = parseMediaType(request);
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (!isJsonType(type) || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8'))
    throw apiError('CONTENT_TYPE_UNSUPPORTED', 'The body must be sent as Content-Type: application/json in UTF-8.', {
      Accept: 'application/json',
    });
}

/**
 * Reads and discards the rest of a body that is too long, within the request timeout: closing the connection while the
 * client still sends would lose the response.
 */
export function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(createTooLargeError(limit));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else reject(createTooLargeError(limit));
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // The client disconnected: not an internal error.
    const abort = () => reject(apiError('REQUEST_TIMEOUT', 'The request was aborted.'));
    // A client that disconnected earlier, such as during an injected delay, causes no further event.
    if (request.destroyed) abort();
    else request.on('error', abort);
  });
}

function createTooLargeError(limit: number) {
  return detailedError('BODY_TOO_LARGE', { limit }, `The body is longer than ${limit} bytes.`);
}

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw apiError('BODY_NOT_JSON', 'The body is not valid UTF-8.');
  }
}

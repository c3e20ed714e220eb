/** Redacts the headers of recorded requests: only values that cannot contain credentials are shown. */
import type * as z from 'zod';
import { redactionMarks } from '../../contract/redaction.ts';
import { fieldsOf } from './redaction.ts';
import { type RequestLogEntry, splitHeaders } from './request-log.ts';

const { secret: secretMark, undeclared: undeclaredMark } = redactionMarks;

/** Headers with credentials. Every other unlisted header may contain one too, but its name does not say so. */
const credentialHeaders = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key']);

/** Standard headers without credentials, in requests or responses. URLs such as in Referer may contain codes. */
const openHeaders = new Set([
  ...['accept', 'accept-charset', 'accept-encoding', 'accept-language', 'access-control-allow-origin', 'allow'],
  ...['cache-control', 'connection', 'content-encoding', 'content-language', 'content-length', 'content-type', 'date'],
  ...['etag', 'expect', 'host', 'if-match', 'if-none-match', 'ip', 'keep-alive', 'origin', 'pragma', 'prefer'],
  ...['priority', 'retry-after', 'sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform', 'sec-fetch-dest'],
  ...['sec-fetch-mode', 'sec-fetch-site', 'sec-fetch-user', 'te', 'traceparent', 'transfer-encoding', 'user-agent'],
  ...['vary', 'via', 'www-authenticate', 'x-content-type-options', 'x-forwarded-for', 'x-forwarded-host'],
  ...['x-forwarded-proto', 'x-iam-fault', 'x-request-id', 'x-requested-with'],
]);

const maxValueLength = 1000;
const maxHeaders = 100;

export interface HeaderValue {
  readonly name: string;
  readonly value: string;
}

/** The headers of the request in their order; values of unlisted headers are hidden. */
export function redactRequestHeaders({ headerText, operation }: RequestLogEntry): HeaderValue[] {
  const declared = new Map(
    Object.entries(operation?.request.headers ?? {}).map(([name, schema]) => [name.toLowerCase(), schema as z.ZodType]),
  );
  const rawHeaders = splitHeaders(headerText);
  const headers: HeaderValue[] = [];
  for (let at = 0; at + 1 < rawHeaders.length && headers.length < maxHeaders; at += 2)
    headers.push(redactHeader(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '', declared));
  return headers;
}

/** The headers that the server set for the response. */
export function redactResponseHeaders({ responseHeaders }: RequestLogEntry): HeaderValue[] {
  return Object.entries(responseHeaders).map(([name, value]) => redactHeader(name, value));
}

function redactHeader(name: string, value: string, declared?: ReadonlyMap<string, z.ZodType>): HeaderValue {
  const key = name.toLowerCase();
  const schema = declared?.get(key);
  const isSecret = credentialHeaders.has(key) || (schema && fieldsOf(schema).level !== undefined);
  if (isSecret) return { name, value: secretMark };
  return openHeaders.has(key) || schema
    ? { name, value: value.slice(0, maxValueLength) }
    : { name, value: undeclaredMark };
}

/** From an operation and its input to a request line, headers and body. Pure. */
import type { ManifestOperation } from '../contract/manifest-types.ts';
import { InputError } from './errors.ts';
import type { CallInput, Scalar } from './types.ts';

export interface OutgoingRequest {
  readonly method: string;
  /** From the root of the origin, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where a client sends its calls. */
export interface BaseUrlParts {
  readonly origin: string;
  /** Path of the base URL without a slash at its end; empty for the root. */
  readonly basePath: string;
}

/** Reads a base URL; a path is kept, and the service prefix may be part of it or not. */
export function parseBaseUrl(baseUrl: string, prefix: string): BaseUrlParts {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new InputError(`The base URL ${JSON.stringify(baseUrl)} is not an http or https URL.`);
  if (url.username || url.password) throw new InputError('The base URL must not carry a user name or a password.');
  const path = url.pathname.replace(/\/+$/, '');
  return { origin: url.origin, basePath: path.endsWith(prefix) ? path.slice(0, -prefix.length) : path };
}

/** The path of an operation with its parameters filled in and its query behind it. */
export function buildOperationPath(operation: ManifestOperation, input: CallInput): string {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodePathSegment(operation, name, input.params?.[name]),
  );
  return path + buildQueryString(input.query);
}

function encodePathSegment(operation: ManifestOperation, name: string, value: Scalar | undefined): string {
  if (value === undefined || value === '') throw new InputError(`${operation.id} needs ${name} in its path.`);
  // A dot segment vanishes in every URL parser on the way, so the call would reach another path.
  if (value === '.' || value === '..') throw new InputError(`${name} can't be ${JSON.stringify(value)}.`);
  const text = String(value);
  if (/\p{Surrogate}/u.test(text)) throw new InputError(`${name} is not well-formed Unicode.`);
  return encodeURIComponent(text);
}

/** `?a=1&b=2`, or nothing where no value is given. */
export function buildQueryString(query: CallInput['query']): string {
  const entries = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(
    Object.fromEntries(entries.map(([name, value]) => [name, String(value)])),
  ).toString();
  return text === '' ? '' : `?${text}`;
}

/** Headers and body of a call; text goes out as it is, everything else as JSON. */
export function encodeBody(body: unknown): Pick<OutgoingRequest, 'headers' | 'body'> {
  if (body === undefined) return { headers: {} };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { headers: { 'content-type': 'application/json' }, body: text };
}

/** Joins header sets, later ones first; names compare without their case. */
export function mergeHeaders(
  ...sets: readonly (Readonly<Record<string, string>> | undefined)[]
): Record<string, string> {
  const entries = sets.flatMap((headers) => Object.entries(headers ?? {}));
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

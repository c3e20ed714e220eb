/** Builds the path, headers and body of a request from an operation and its input. Pure functions. */
import type { ManifestOperation } from '../contract/manifest-types.ts';
import { InputError } from './errors.ts';
import type { CallInput, Scalar } from './types.ts';

export interface OutgoingRequest {
  readonly method: string;
  /** Absolute path with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Returns the body of a successful response while it arrives, without a limit of time. */
  readonly isStream?: boolean | undefined;
  /** Called when the request is written to a connection. */
  readonly onSent?: (() => void) | undefined;
}

/** The parts of the base URL of a client. */
export interface BaseUrlParts {
  readonly origin: string;
  /** Path of the base URL without a trailing slash; empty for the root. */
  readonly basePath: string;
}

/** Parses a base URL. It may have a path, which may end with the service prefix. @throws InputError. */
export function parseBaseUrl(baseUrl: string, prefix: string): BaseUrlParts {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new InputError(`The base URL ${JSON.stringify(baseUrl)} is not an http or https URL.`);
  if (url.username || url.password) throw new InputError('The base URL must not contain a user name or a password.');
  const path = url.pathname.replace(/\/+$/, '');
  return { origin: url.origin, basePath: path.endsWith(prefix) ? path.slice(0, -prefix.length) : path };
}

const inputNames: Readonly<Record<keyof CallInput, true>> = {
  params: true,
  query: true,
  body: true,
  ifMatch: true,
  headers: true,
  signal: true,
  anonymous: true,
  onSent: true,
};

/** A name of JavaScript callers that would be ignored silently: `{ path }` or fields outside of `body`. @throws InputError. */
export function assertInput(operation: ManifestOperation, input: CallInput): void {
  const unknown = Object.keys(input).find((name) => !Object.hasOwn(inputNames, name));
  if (unknown === undefined) return;
  throw new InputError(`${operation.id} has no input ${unknown}; allowed: ${Object.keys(inputNames).join(', ')}.`);
}

/** Returns the path of an operation with its parameters and query. @throws InputError. */
export function buildOperationPath(operation: ManifestOperation, input: CallInput): string {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodePathSegment(operation, name, input.params?.[name]),
  );
  return path + buildQueryString(input.query);
}

function encodePathSegment(operation: ManifestOperation, name: string, value: Scalar | undefined): string {
  if (value === undefined || value === '')
    throw new InputError(`${operation.id} requires the path parameter ${name}: params: { ${name}: ... }.`);
  // URL parsers remove dot segments, so the request would go to another path.
  if (value === '.' || value === '..') throw new InputError(`${name} cannot be ${JSON.stringify(value)}.`);
  const text = String(value);
  if (/\p{Surrogate}/u.test(text)) throw new InputError(`${name} is not well-formed Unicode.`);
  return encodeURIComponent(text);
}

/** Returns `?a=1&b=2`, or an empty string without values. */
export function buildQueryString(query: CallInput['query']): string {
  const entries = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(
    Object.fromEntries(entries.map(([name, value]) => [name, String(value)])),
  ).toString();
  return text === '' ? '' : `?${text}`;
}

/** Returns the body and its headers. Strings are sent unchanged, everything else as JSON. */
export function encodeBody(body: unknown): Pick<OutgoingRequest, 'headers' | 'body'> {
  if (body === undefined) return { headers: {} };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { headers: { 'content-type': 'application/json' }, body: text };
}

/** Merges header sets; later ones override. Names are case-insensitive. */
export function mergeHeaders(
  ...sets: readonly (Readonly<Record<string, string>> | undefined)[]
): Record<string, string> {
  const entries = sets.flatMap((headers) => Object.entries(headers ?? {}));
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** What is compared of a response: values that differ between two services of the same behaviour are replaced. */
import { errorItems } from '../../client/error-items.ts';
import type { ApiResponse } from '../../client/response.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { decodeClaims } from '../auth/decode-token.ts';
import type { Variables } from './case.ts';

/** A response, or the code of the network error in place of one. */
export type Answer = { readonly response: ApiResponse } | { readonly failure: string };

export interface Observation {
  readonly status: number;
  /** The sorted codes of an error body; undefined for another body. */
  readonly codes: readonly string[] | undefined;
  /** The values of each field, by path: `roles[]` is an entry of the list `roles`. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** What matters of the headers, by name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Returns what is compared of a response. Saved variables are replaced by their names. */
export function observe(response: ApiResponse, operation: ManifestOperation, variables: Variables): Observation {
  const { status, headers, body } = response;
  const items = errorItems(body);
  const known = new Map([...variables].map(([name, value]) => [value, name]));
  return {
    status,
    codes: items.length > 0 ? items.map(({ code }) => code).sort() : undefined,
    fields: collectFields(body, (text, path) => normalizeText(text, known, isSecret(operation, path))),
    headers: observeHeaders(headers, operation, status),
  };
}

function observeHeaders(
  headers: ApiResponse['headers'],
  { response }: ManifestOperation,
  status: number,
): Observation['headers'] {
  const has = (name: string) => (headers[name] === undefined ? undefined : 'present');
  const hasSecret = response.secret && status >= 200 && status < 300;
  return {
    'content-type': headers['content-type']?.split(';')[0]?.trim().toLowerCase(),
    'www-authenticate': headers['www-authenticate'] && listSchemes(headers['www-authenticate']),
    allow: headers.allow && splitList(headers.allow).sort().join(', '),
    link: /rel="?next"?/i.test(headers.link ?? '') ? 'rel="next"' : undefined,
    etag: has('etag'),
    'x-request-id': has('x-request-id'),
    ...(hasSecret
      ? { 'cache-control': /\bno-store\b/i.test(headers['cache-control'] ?? '') ? 'no-store' : undefined }
      : {}),
    ...(response.header && status === response.status
      ? { [response.header.name.toLowerCase()]: has(response.header.name.toLowerCase()) }
      : {}),
  };
}

function splitList(text: string): string[] {
  return text.split(',').map((one) => one.trim().toUpperCase());
}

/** The authentication schemes of a challenge (RFC 9110, 11.6.1), without their parameters. */
function listSchemes(challenge: string): string {
  const schemes = challenge.match(/(?:^|,)\s*([A-Za-z][\w-]*)(?=\s+[A-Za-z]|\s*,|\s*$)/g) ?? [];
  return [...new Set(schemes.map((one) => one.replace(/[,\s]/g, '')))].sort().join(', ');
}

/** The values of each field by path; an object or a list is the value `object` or its length. */
function collectFields(body: unknown, normalize: (text: string, path: string) => string): Map<string, string[]> {
  const fields = new Map<string, Set<string>>();
  const add = (path: string, value: string) => void fields.set(path, (fields.get(path) ?? new Set()).add(value));
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      add(path, `list of ${value.length}`);
      for (const one of value) visit(one, `${path}[]`);
    } else if (typeof value === 'object' && value !== null) {
      add(path, 'object');
      for (const [name, one] of Object.entries(value)) visit(one, path === '' ? name : `${path}.${name}`);
    } else if (value !== undefined) {
      add(path, typeof value === 'string' ? normalize(value, path) : formatPlain(value));
      const claims = typeof value === 'string' ? decodeClaims(value) : undefined;
      if (claims) visit(omitVarying(claims), `${path}.claims`);
    }
  };
  visit(body, '');
  return new Map([...fields].map(([path, values]) => [path, [...values].sort()]));
}

/** Claims with the URL of the service, and the mark of tokens of this server. */
const varyingClaims: readonly string[] = ['iss', 'aud', 'stand_in'];

/** Claims that name the caller, which is another one at the reference. */
const callerClaims: readonly string[] = ['client_id', 'app_id', 'organization_id', 'business_unit_id'];

/** The claims of a token that depend on the request only. */
function omitVarying(claims: Readonly<Record<string, unknown>>): object {
  const entries = Object.entries(claims).filter(([name]) => !varyingClaims.includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, callerClaims.includes(name) ? typeof value : value]));
}

/** Numbers are ids and times. */
function formatPlain(value: unknown): string {
  return typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : String(value);
}

/** Forms of values that every service makes itself, most specific first. */
const generatedForms: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^[\w-]+\.[\w-]+\.[\w-]+$/, 'JWT'],
  [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'UUID'],
  [/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/, 'time'],
  [/^\d+$/, 'digits'],
  [/^[0-9a-f]{24}$/, 'id'],
  [/^(?!iam-conformance)[\w+/=-]{20,}$/, 'opaque value'],
];

/** Fields with a part of a generated value, which has no form of its own: the end of an API key. */
const generatedFields: readonly string[] = ['[].hint'];

/** Whether the operation declares a field as a secret, or the service generates it. */
function isSecret({ response: { schema } }: ManifestOperation, path: string): boolean {
  if (generatedFields.includes(path)) return true;
  const fields = schema?.items?.properties ?? schema?.properties ?? {};
  return fields[path.replace(/^\[\]\./, '')]?.sensitive !== undefined;
}

/** Returns a value, the name of the variable that contains it, or the name of its form. A secret is never returned. */
function normalizeText(text: string, known: ReadonlyMap<string, string>, hidden: boolean): string {
  const form = generatedForms.find(([pattern]) => pattern.test(text))?.[1];
  if (hidden) return form ?? 'text';
  const variable = known.get(text);
  if (variable !== undefined && form !== undefined) return `{{${variable}}}`;
  return form ?? JSON.stringify(text);
}

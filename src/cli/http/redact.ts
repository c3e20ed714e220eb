/** Redacts sensitive and undeclared fields of requests before they are printed. Pure. */
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { FieldTree, hasSensitiveField, type RedactionStyle, redact, redactionMarks } from '../../contract/redaction.ts';
import type { RequestFields } from './request-fields.ts';

const { secret: secretMark, undeclared: undeclaredMark, hidden: hiddenMark } = redactionMarks;

const plainStyle: RedactionStyle = {
  sensitive: () => secretMark,
  undeclared: (names) => names.map((name) => [name, undeclaredMark]),
  mistyped: hiddenMark,
};

/** Returns a copy of a body with the values of hidden fields replaced. */
export function redactRequestBody(body: unknown, fields: FieldTree | undefined, style = plainStyle): unknown {
  return fields ? redact(body, fields, style) : undeclaredMark;
}

/** Redacts the query of a path. */
export function redactPath(path: string, fields: FieldTree, style = plainStyle): string {
  const [start = '', query] = path.split(/\?(.*)/s);
  if (query === undefined) return path;
  const parts = query.split('&').map((part) => {
    const [name = ''] = part.split('=');
    const declared = fields.field(name);
    if (part === '' || (declared && declared.level === undefined)) return part;
    const [pair] = declared ? [[name, style.sensitive(name)]] : style.undeclared([name]);
    return (pair ?? []).join('=');
  });
  return `${start}?${parts.join('&')}`;
}

/** Whether a request contains nothing to hide. A body that is not JSON cannot be checked and counts as hidden. */
export function isOpenRequest(
  { path, headers, body }: { path: string; headers: Readonly<Record<string, string>>; body?: string | undefined },
  fields: RequestFields,
): boolean {
  if (Object.keys(headers).some((name) => !isLoggableHeader(name.toLowerCase()))) return false;
  if (redactPath(path, fields.query) !== path) return false;
  if (body === undefined) return true;
  try {
    return fields.body !== undefined && !hasSensitiveField(JSON.parse(body) as unknown, fields.body);
  } catch {
    return false;
  }
}

/** Whether a header can be printed for any request; others may contain credentials. */
export function isLoggableHeader(name: string): boolean {
  return ['accept', 'content-type', 'if-match', 'if-none-match', 'x-request-id'].includes(name);
}

/** Redacts headers, except loggable ones and declared ones that are not sensitive. */
export function redactHeaders(headers: Readonly<Record<string, string>>, fields: FieldTree): Record<string, string> {
  const isOpen = (name: string) => {
    const declared = fields.field(name);
    return isLoggableHeader(name.toLowerCase()) || (declared !== undefined && declared.level === undefined);
  };
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isOpen(name) ? value : secretMark]));
}

type Body = Readonly<Record<string, unknown>>;

/** Splits a response body into open fields and those that its schema marks as sensitive. */
export function splitSecrets(response: ManifestOperation['response'], body: unknown): { open: Body; secrets: Body } {
  const fields = responseFields(response);
  const isSecret = (name: string) => fields.field(name)?.level !== undefined;
  const entries = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
  return {
    open: Object.fromEntries(entries.filter(([name]) => !isSecret(name))),
    secrets: Object.fromEntries(entries.filter(([name]) => isSecret(name))),
  };
}

/** The header value of a 204 response is a secret. */
function responseFields({ schema, header }: ManifestOperation['response']): FieldTree {
  if (!header) return new FieldTree([schema ?? {}]);
  return new FieldTree([{ type: 'object', properties: { [header.field]: { type: 'string', sensitive: 'secret' } } }]);
}

/** Replaces the user name and password of a URL. */
export function stripUserInfo(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1(secret)@');
}

/** Redacts sensitive and undeclared fields of requests before they are printed. Pure. */
import type { Manifest, ManifestField, ManifestOperation, ManifestRoute } from '../../contract/manifest-types.ts';
import { FieldTree, hasSensitiveField, type RedactionStyle, redact, redactionMarks } from '../../contract/redaction.ts';

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

export interface RequestFields {
  readonly headers: FieldTree;
  readonly query: FieldTree;
  /** Undefined if the request declares no body. */
  readonly body: FieldTree | undefined;
}

/** Returns the declared fields of a request; empty for an undeclared request. */
export type FindRequestFields = (method: string, url: string) => RequestFields;

/** Creates the lookup. The schemas of a route are compiled on first use. */
export function requestFieldsIn(manifest: Manifest): FindRequestFields {
  const known = new Map<Route, RequestFields>();
  return (method, url) => {
    const route = routeOfUrl(manifest, method, url);
    if (!route) return nothingDeclared;
    const fields = known.get(route) ?? fieldsOf(route);
    known.set(route, fields);
    return fields;
  };
}

type Route = ManifestOperation | ManifestRoute;

const nothingDeclared: RequestFields = { headers: treeOf([]), query: treeOf([]), body: undefined };

function fieldsOf(route: Route): RequestFields {
  const named =
    'auth' in route && route.auth === 'client-id' ? [{ name: 'clientId', required: false, schema: {} }] : [];
  return {
    headers: treeOf('headers' in route ? (route.headers ?? []) : []),
    query: treeOf([...named, ...route.query]),
    body: route.body && new FieldTree([route.body]),
  };
}

function treeOf(fields: readonly ManifestField[]): FieldTree {
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [name, schema]));
  return new FieldTree([{ type: 'object', properties }]);
}

/** Base URLs and sandboxes add a path before the prefix. */
export function routeOfUrl(manifest: Manifest, method: string, url: string): Route | undefined {
  const { prefix, operations, controlPrefix, controlRoutes } = manifest;
  const [path = ''] = url.split(/[?#]/);
  const below = (start: string) => path.slice(path.indexOf(`${start}/`) + start.length);
  if (path.includes(`${prefix}/`)) return routeAt<Route>(operations, method, below(prefix));
  return path.includes(`${controlPrefix}/`) ? routeAt<Route>(controlRoutes, method, below(controlPrefix)) : undefined;
}

/** The route that serves a path. Literal segments take precedence over parameters, as on the server. */
export function routeAt<Found extends Pick<Route, 'method' | 'path'>>(
  routes: readonly Found[],
  method: string,
  path: string,
): Found | undefined {
  const fits = (template: string) => new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path);
  const found = routes.filter((route) => route.method === method && fits(route.path));
  return found.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
}

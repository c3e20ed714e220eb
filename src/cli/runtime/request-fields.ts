/** What the declared requests of a server take, found by method and path: traces and previews show no more. Pure. */
import type { Manifest, ManifestField, ManifestOperation, ManifestRoute } from '../../contract/manifest-types.ts';
import { FieldTree } from '../../contract/redaction.ts';

export interface RequestFields {
  readonly headers: FieldTree;
  readonly query: FieldTree;
  /** Undefined where the request declares no body. */
  readonly body: FieldTree | undefined;
}

/** The fields of the request to a URL or a path; of a request that nothing declares there are none. */
export type FindRequestFields = (method: string, url: string) => RequestFields;

/** Compiles the schemas of a route once, when it is first asked for. */
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

/** Base URLs and sandboxes have paths of their own before the prefix. */
function routeOfUrl(manifest: Manifest, method: string, url: string): Route | undefined {
  const { prefix, operations, controlPrefix, controlRoutes } = manifest;
  const [path = ''] = url.split(/[?#]/);
  const below = (start: string) => path.slice(path.indexOf(`${start}/`) + start.length);
  if (path.includes(`${prefix}/`)) return routeAt<Route>(operations, method, below(prefix));
  return path.includes(`${controlPrefix}/`) ? routeAt<Route>(controlRoutes, method, below(controlPrefix)) : undefined;
}

/** The route that serves a path. A literal segment is preferred to a parameter, as by the server. */
export function routeAt<Found extends Pick<Route, 'method' | 'path'>>(
  routes: readonly Found[],
  method: string,
  path: string,
): Found | undefined {
  const fits = (template: string) => new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path);
  const found = routes.filter((route) => route.method === method && fits(route.path));
  return found.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
}

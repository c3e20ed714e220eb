/** The declared fields of requests by method and path. Logs and previews print only these. Pure. */
import type { Manifest, ManifestField, ManifestOperation, ManifestRoute } from '../../contract/manifest-types.ts';
import { FieldTree } from '../../contract/redaction.ts';

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
function routeOfUrl(manifest: Manifest, method: string, url: string): Route | undefined {
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

/** Finds operations by id and by request. */
import type { Manifest, ManifestOperation } from '../../contract/manifest-types.ts';
import { findNearest } from '../../lib/nearest-name.ts';
import { usageError } from '../errors.ts';
import { routeAt } from '../http/redact.ts';

/** Returns the operation with this id. @throws CliError (exit 2) if it is unknown */
export function getOperation(manifest: Manifest, id: string): ManifestOperation {
  const found = manifest.operations.find((operation) => operation.id === id);
  if (found) return found;
  const ids = manifest.operations.map((operation) => operation.id);
  const near = findNearest(id, ids);
  throw usageError(
    `Operation ${JSON.stringify(id)} not found.${near ? ` Did you mean ${near}?` : ''}`,
    'List operations with `iam commands`.',
  );
}

/** What a command needs of an update besides its method, path, parameters, roles and body. */
type RouteUpdate = Pick<ManifestOperation, 'title' | 'description' | 'examples'> & {
  readonly command: string;
  readonly method: ManifestOperation['method'];
  readonly path: string;
};

/** Routes of the control plane with which commands update what the service API has no operation for. */
const routeUpdates: Readonly<Record<string, RouteUpdate>> = {
  'control.update-client': {
    command: 'clients update',
    title: 'Update a client',
    description: 'Client id, service account, owner and party cannot change.',
    method: 'PATCH',
    path: '/clients/{id}',
    examples: [
      { title: 'Add a redirect URI', command: 'billing-service --add-redirect-uri https://app.example.com/callback' },
      { title: 'Add one scope and remove another', command: 'billing-service --add-scope WRITE --remove-scope READ' },
    ],
  },
};

/** Whether an update is a route of the control plane, below `controlPrefix`. */
export function isRoute({ id }: Pick<ManifestOperation, 'id'>): boolean {
  return Object.hasOwn(routeUpdates, id);
}

/**
 * The operation or route that updates a resource, as an operation from which commands are built.
 * @throws TypeError if the manifest has no such route
 */
export function getUpdate(manifest: Manifest, id: string): ManifestOperation {
  const update = routeUpdates[id];
  if (!update) return getOperation(manifest, id);
  const route = manifest.controlRoutes.find(({ method, path }) => method === update.method && path === update.path);
  if (!route) throw new TypeError(`${id} is no route: ${update.method} ${update.path}`);
  return {
    ...update,
    id,
    auth: 'caller',
    roles: route.roles,
    params: route.params,
    statuses: [],
    softErrors: false,
    effect: 'write',
    idempotent: true,
    query: [],
    ...(route.body ? { body: route.body } : {}),
    response: { status: 200, page: false, secret: false, entity: true },
  };
}

/** The operation, or the route that updates a resource, which serves a request; undefined if none does. */
export function matchOperation(manifest: Manifest, method: string, path: string): ManifestOperation | undefined {
  const { operations, prefix, controlPrefix } = manifest;
  const [target = ''] = path.split('?');
  const below = (start: string) => (target.startsWith(start) ? target.slice(start.length) : target);
  const routes = Object.entries(routeUpdates).map(([id, { method, path }]) => ({ id, method, path }));
  const route = routeAt(routes, method, below(controlPrefix));
  return routeAt(operations, method, below(prefix)) ?? (route && getUpdate(manifest, route.id));
}

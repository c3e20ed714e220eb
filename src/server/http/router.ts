/** The route table of both planes: finds the route of a request, and the methods of a path. */
import KoaRouter, { type Layer } from '@koa/router';

export interface Route {
  readonly method: string;
  /** The whole path, with its parameters in braces: `/groups/{groupId}`. */
  readonly path: string;
}

export interface Router<Target extends Route> {
  /** Returns the route of a request, by its raw path. The routes of GET also serve HEAD. */
  find(method: string, path: string): Target | undefined;
  /** Returns the methods that a path supports; none if the path is unknown. */
  methodsAt(path: string): string[];
}

/**
 * Creates the table of these routes. Paths match exactly; a literal segment takes precedence over a parameter in the same
 * position. @koa/router only matches: it does not dispatch, which avoids a middleware chain per request, and parameters
 * are read from the raw path.
 * @throws Error if two routes have the same method and path.
 */
export function createRouter<Target extends Route>(routes: readonly Target[]): Router<Target> {
  assertUnique(routes);
  // One table per number of segments, so that a request tries few routes, made at its first request.
  const tables = new Map<number, Table<Target> | undefined>(routes.map(({ path }) => [countSegments(path), undefined]));
  function tableOf(path: string): Table<Target> | undefined {
    const segments = countSegments(path);
    const known = tables.get(segments);
    if (known || !tables.has(segments)) return known;
    const table = createTable(routes.filter((route) => countSegments(route.path) === segments));
    tables.set(segments, table);
    return table;
  }
  return {
    find(method, path) {
      const table = tableOf(path);
      const [layer] = table?.matchers.get(method)?.match(path, method).pathAndMethod ?? [];
      return layer && table?.targets.get(layer);
    },
    methodsAt(path) {
      const found = [...(tableOf(path)?.targets ?? [])].filter(([layer]) => layer.match(path));
      const methods = new Set(found.map(([, { method }]) => method));
      return [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method));
    },
  };
}

/** The routes whose paths have the same number of segments. */
interface Table<Target> {
  readonly matchers: ReadonlyMap<string, KoaRouter>;
  /** In the order of their precedence. */
  readonly targets: ReadonlyMap<Layer, Target>;
}

function createTable<Target extends Route>(routes: readonly Target[]): Table<Target> {
  const matchers = new Map<string, KoaRouter>();
  const targets = new Map<Layer, Target>();
  for (const route of sortByParameters(routes)) targets.set(registerRoute(matchers, route), route);
  const reads = matchers.get('GET');
  if (reads) matchers.set('HEAD', reads);
  return { matchers, targets };
}

function assertUnique(routes: readonly Route[]): void {
  const seen = new Set<string>();
  for (const { method, path } of routes) {
    const shape = `${method} ${path.replaceAll(parameter, '{}')}`;
    if (seen.has(shape)) throw new Error(`another route has the same method and path as ${method} ${path}`);
    seen.add(shape);
  }
}

function sortByParameters<Target extends Route>(routes: readonly Target[]): Target[] {
  const parametersIn = ({ path }: Target) => path.split('{').length;
  return [...routes].sort((a, b) => parametersIn(a) - parametersIn(b));
}

const parameter = /\{([A-Za-z]+)\}/g;

function registerRoute(matchers: Map<string, KoaRouter>, { method, path }: Route): Layer {
  const matcher = matchers.get(method) ?? new KoaRouter({ sensitive: true, strict: true });
  matchers.set(method, matcher);
  // @koa/router treats braces as an optional literal.
  return matcher.register(path.replaceAll(parameter, ':$1'), [method], neverCalled) as Layer;
}

function neverCalled(): void {}

function countSegments(path: string): number {
  let segments = 0;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) segments += 1;
  return segments;
}

/**
 * Every route of the control plane with every kind of caller: on a loopback server by the origin of the request, on a
 * remote server by the caller. Routes come from the registry, so new ones are included.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../../src/contract/operation.ts';
import { controlPrefix } from '../../../src/contract/prefix.ts';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { send } from '../../server/control/control-client.ts';
import { type Caller, createCallers } from './matrix-callers.ts';
import { evaluateRoles, findMismatch, formatMatrix, type MatrixOutcome, runInBatches } from './matrix-outcomes.ts';
import { productId } from './matrix-tokens.ts';

type Route = Operation<never>;
const routes = controlRoutes as unknown as readonly Route[];
const routesById = routes.map((route) => ({ ...route, id: `${route.method} ${controlPrefix}${route.path}` }));

/** Sends a request that changes nothing the matrix needs: bodies are invalid, and a wait has no timeout. */
async function sendRoute(
  server: TestServer,
  { method, path, request, response: declared }: Route,
  headers: Readonly<Record<string, string>>,
) {
  const filled = path.replaceAll(/\{[^}]+\}/g, 'unknown-name');
  // Ends the sessions of an unknown user; all other query parameters are optional.
  const query = path.endsWith('/wait') ? '?timeout=0' : path === '/sessions' ? '?userId=unknown-name' : '';
  const body = request.body ? { body: [] } : {};
  // Required of pages for requests that change state.
  const script = { 'X-Requested-With': 'XMLHttpRequest', ...headers };
  // A stream does not end.
  const untilHead = 'stream' in declared;
  const response = await send(server, `${controlPrefix}${filled}${query}`, {
    method,
    headers: script,
    headOnly: untilHead,
    ...body,
  });
  const code = Array.isArray(response.body) ? (response.body[0] as { code?: string } | undefined)?.code : undefined;
  return { status: response.status, headers: response.headers, json: response.body, code };
}

const image = (site: string) => ({ 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' });

describe('a server on a loopback address', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const port = () => new URL(server.url).port;
  const sources: readonly [string, () => Record<string, string>, string | undefined][] = [
    ['a program of this machine', () => ({ 'X-Other': 'any' }), undefined],
    ['a page of this machine', () => ({ Origin: 'http://localhost:3000' }), undefined],
    ['a page of another host', () => ({ Origin: 'https://evil.example' }), 'ORIGIN_FOREIGN'],
    ['a page without an origin', () => ({ Origin: 'null' }), 'ORIGIN_FOREIGN'],
    ['a name of another host', () => ({ Host: `evil.example:${port()}` }), 'HOST_FOREIGN'],
    ['a forwarded port', () => ({ Host: 'localhost:1' }), undefined],
    ['a program with the fetch of Node', () => ({ 'Sec-Fetch-Mode': 'cors' }), undefined],
    ['an image in a page of another host', () => image('cross-site'), 'ORIGIN_FOREIGN'],
    ['an image in a page of another port', () => image('same-site'), 'ORIGIN_FOREIGN'],
  ];

  const cases = sources.map(
    ([name, header, code]) =>
      [`${code === undefined ? 'accepts' : 'rejects'} requests of ${name}`, header, code] as const,
  );

  test.each(cases)('%s', async (_title, header, code) => {
    const before = await server.dump();
    for (const route of routesById) {
      const response = await sendRoute(server, route, header());
      const rejection = [403, 421].includes(response.status) ? response.code : undefined;
      expect([route.id, rejection]).toEqual([route.id, code]);
      expect(response.status).toBeLessThan(500);
    }
    if (code !== undefined) expect(await server.dump()).toEqual(before);
  });
});

describe('a remotely reachable server', () => {
  let server: TestServer;
  let callers: Caller[];
  beforeAll(async () => {
    const products = [{ productId, productAlias: 'matrix', sku: 'one' }];
    const flags = { host: '0.0.0.0', 'allow-remote': true, 'disable-rate-limits': true };
    server = await startServer({ flags, seed: { products } });
    callers = await createCallers(server);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A route rejects clients that are identified only. Routes without authentication reject no caller. */
  function computeExpected({ rolesText, statuses }: Route, { grant, clientId }: Caller): MatrixOutcome {
    if (rolesText === 'none') return { kind: 'accepted' };
    const code = clientId === undefined ? grant : 'CREDENTIALS_MISSING';
    if (code === 'CREDENTIALS_AMBIGUOUS') return { kind: 'rejected', status: statuses.includes(400) ? 400 : 401, code };
    if (typeof code === 'string') return { kind: 'rejected', status: 401, code };
    return evaluateRoles(rolesText, code)
      ? { kind: 'accepted' }
      : { kind: 'rejected', status: 403, code: 'ROLE_MISSING' };
  }

  test('accepts each caller that the capability allows, and rejects all others', async () => {
    const cells = routesById.flatMap((route) => callers.map((caller) => ({ route, caller })));
    const mismatches: string[] = [];
    await runInBatches(cells, 16, async ({ route, caller }) => {
      const response = await sendRoute(server, route, Object.fromEntries(caller.headers));
      const expectedCaller = route.rolesText === 'none' ? { ...caller, subject: 'anonymous' } : caller;
      const found = findMismatch(response, computeExpected(route, caller), expectedCaller, server.log);
      if (found !== undefined) mismatches.push(`${route.id} by ${caller.name}: ${found}`);
    });
    expect(mismatches).toEqual([]);
    expect(cells.length).toBeGreaterThan(2000);
  });

  test('matches the snapshot of accepted callers by route', async () => {
    await expect(formatMatrix(routesById, callers, computeExpected)).toMatchFileSnapshot(
      './__snapshots__/control-matrix.txt',
    );
  });
});

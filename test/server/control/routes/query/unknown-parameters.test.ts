/** Every route of the control plane rejects query parameters that it does not declare. Routes come from the table. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { controlPrefix } from '../../../../../src/contract/prefix.ts';
import { controlRoutes } from '../../../../../src/server/control/routes/index.ts';
import { startServer, type TestServer } from '../../../../harness.ts';
import { type HttpResponse, send } from '../../control-client.ts';

type Route = (typeof controlRoutes)[number];
const cases = controlRoutes.map((route) => [`${route.method} ${route.path}`, route] as const);
const declaredCases = cases.flatMap(([title, route]) =>
  Object.keys(route.request.query ?? {}).map((name) => [`${title}?${name}`, route, name] as const),
);

/** A value that the path accepts: path parameters are validated before the query. */
function fillParameter(schema: z.ZodType | undefined): string {
  const candidates = ['unknown-name', 'UNKNOWN', ...(schema instanceof z.ZodEnum ? schema.options : [])];
  const value = candidates.find((candidate) => schema?.safeParse(candidate).success);
  if (value === undefined) throw new Error('No value for a path parameter.');
  return String(value);
}

describe('query parameters of the control plane', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Sends a query to a route. */
  function sendQuery({ method, path, request, response }: Route, query: string): Promise<HttpResponse> {
    const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => fillParameter(request.params?.[name]));
    return send(server, `${controlPrefix}${filled}?${query}`, {
      method,
      headers: { 'X-Requested-With': 'XMLHttpRequest' },
      headOnly: 'stream' in response,
      ...(request.body ? { body: {} } : {}),
    });
  }

  const unknownOf = ({ body }: HttpResponse) =>
    (Array.isArray(body) ? (body as { code: string; details?: { field?: string } }[]) : [])
      .filter(({ code }) => code === 'FIELD_UNKNOWN')
      .map(({ details }) => details?.field);

  test.each(cases)('%s rejects an unknown name and changes nothing', async (_title, route) => {
    const before = await server.dump();
    const response = await sendQuery(route, 'nosuchname=1');
    expect([response.status, unknownOf(response)]).toEqual([400, ['nosuchname']]);
    expect(await server.dump()).toEqual(before);
  });

  test.each(cases)('%s documents 400 and its code', (_title, route) => {
    expect(route.statuses).toContain(400);
    expect(route.request.strictQuery).toBe(true);
  });

  test.each(declaredCases)('%s is accepted as a name', async (_title, route, name) => {
    // The unknown name keeps the route from running: the error must not name the declared one.
    const response = await sendQuery(route, `${name}=1&nosuchname=1`);
    expect(response.status).toBe(400);
    expect(unknownOf(response)).toEqual(['nosuchname']);
  });

  test('names the nearest parameter, or those that the path accepts', async () => {
    const messageOf = async (path: string) => (await send(server, path)).body;
    expect(await messageOf('/_iam/users?nmae=x')).toMatchObject([
      { code: 'FIELD_UNKNOWN', message: 'Unknown query parameter: nmae. Did you mean name?' },
    ]);
    expect(await messageOf('/_iam/users?nosuchname=x')).toMatchObject([
      { message: expect.stringMatching(/^Unknown query parameter: nosuchname\. Accepted: .*name.*\.$/) },
    ]);
    expect(await messageOf('/_iam/clock?at=x')).toMatchObject([
      { message: 'Unknown query parameter: at. This path accepts none.' },
    ]);
  });

  test('rejects malformed and empty names', async () => {
    for (const query of ['%ff=1', '=1', '__proto__=1'])
      expect((await send(server, `/_iam/clock?${query}`)).status).toBe(400);
  });

  test('rejects unknown names in a sandbox', async () => {
    const body = { name: 'query' };
    expect((await send(server, '/_iam/sandboxes', { method: 'POST', body })).status).toBeLessThan(300);
    const response = await send(server, '/s/query/_iam/inbox?nosuchname=1');
    expect([response.status, unknownOf(response)]).toEqual([400, ['nosuchname']]);
  });
});

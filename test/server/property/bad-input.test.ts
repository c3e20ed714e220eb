/** Bad input: every operation responds as documented, never with an internal error, and a rejection changes nothing. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { rounds } from '../../effort.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { attemptBadInput, collectPool, isErrorArray, registry, routes } from './bad-input.ts';
import { administratorCredentials, createCallerCredentials, remote, seedEntities } from './callers.ts';
import { createRawSender, type RawSender } from './raw-sender.ts';
import { drawRequest, toRawRequest } from './request-generator.ts';

const seed = 20260301;
/** Draws of each mutation for each operation. */
const runs = rounds(10);

describe('the service', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(registry)('$id rejects bad input as documented', async (operation) => {
    await server.appContext.state.reset('empty');
    await seedEntities(server);
    const credentials = await createCallerCredentials(server);
    const rejections = await attemptBadInput(server, operation, {
      credentials,
      seed,
      runs,
      send: (request) => server.send(request),
    });
    expect(rejections).toBeGreaterThan(0);
  });
});

describe('the control plane', () => {
  let server: TestServer;
  let raw: RawSender;
  beforeAll(async () => {
    server = await startServer({ flags: remote });
    // Some of its fields have names like secrets, but contain none.
    raw = createRawSender(server.url);
  });
  afterAll(async () => {
    raw.close();
    await server[Symbol.asyncDispose]();
  });

  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s rejects bad input as documented',
    async (_name, route) => {
      const credentials = administratorCredentials();
      const rejections = await attemptBadInput(server, route, {
        credentials,
        seed,
        runs,
        send: (request) => raw.send(request),
      });
      expect(rejections).toBeGreaterThan(0);
    },
  );
});

test('unmodified requests succeed often enough to make the rejections meaningful', async () => {
  await using server = await startServer();
  await seedEntities(server);
  const credentials = await createCallerCredentials(server);
  const succeeded = new Set<string>();
  // Operations for users in a session reject a client whatever it sends.
  const operations = registry.filter(
    ({ method, path, errorFormat }) =>
      method !== 'DELETE' && !path.includes('/me/') && errorFormat !== 'page' && !path.startsWith('/oauth2/'),
  );
  for (const operation of operations) {
    const property = fc.asyncProperty(fc.gen(), async (draw) => {
      const source = { operation, prefix: servicePrefix, ...credentials, pool: await collectPool(server) };
      const { status, json } = await server.send(toRawRequest(drawRequest(draw, source)));
      if (status < 300 && !isErrorArray(json)) succeeded.add(operation.id);
    });
    await fc.assert(property, { seed, numRuns: rounds(40) });
  }
  expect(succeeded.size).toBeGreaterThan(operations.length / 3);
});

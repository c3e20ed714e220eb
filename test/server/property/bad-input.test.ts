/** Whatever comes in: every operation answers as it is documented, never with a fault of its own, and a refusal changes nothing. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { holdOut, isErrorArray, poolOf, registry, routes } from './bad-input.ts';
import { makeSomething, presentedAsAdministrator, presentedTo, remote } from './callers.ts';
import { createRawSender, type RawSender } from './raw.ts';
import { draftOf, rawOf } from './requests.ts';

const seed = 20260301;
/** All runs together stay about the same as operations are added. */
const runs = Math.max(2, Math.min(6, Math.floor(120 / registry.length)));

describe.each(registry)('$id', (operation) => {
  test('holds out against bad input', async () => {
    await using server = await startServer();
    await makeSomething(server);
    const presented = await presentedTo(server);
    const refusals = await holdOut(server, operation, {
      presented,
      seed,
      runs,
      send: (request) => server.send(request),
    });
    expect(refusals).toBeGreaterThan(0);
  });
});

describe('the control plane', () => {
  let server: TestServer;
  let raw: RawSender;
  beforeAll(async () => {
    server = await startServer({ flags: remote });
    // Some of what it shows is called like a secret, and is none.
    raw = createRawSender(server.url);
  });
  afterAll(async () => {
    raw.close();
    await server[Symbol.asyncDispose]();
  });

  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s holds out against bad input',
    async (_name, route) => {
      const presented = presentedAsAdministrator();
      const refusals = await holdOut(server, route, { presented, seed, runs: 1, send: (request) => raw.send(request) });
      expect(refusals).toBeGreaterThan(0);
    },
  );
});

test('the requests that nothing is done to succeed often enough for refusals to mean something', async () => {
  await using server = await startServer();
  await makeSomething(server);
  const presented = await presentedTo(server);
  const succeeded = new Set<string>();
  // What is for users in a session of their own refuses a client whatever it sends.
  const tried = registry.filter(({ method, path }) => method !== 'DELETE' && !path.includes('/me/'));
  for (const operation of tried) {
    const property = fc.asyncProperty(fc.gen(), async (draw) => {
      const source = { operation, prefix: servicePrefix, ...presented, pool: await poolOf(server) };
      const { status, json } = await server.send(rawOf(draftOf(draw, source)));
      if (status < 300 && !isErrorArray(json)) succeeded.add(operation.id);
    });
    await fc.assert(property, { seed, numRuns: 10 });
  }
  expect(succeeded.size).toBeGreaterThan(tried.length / 3);
});

/**
 * The growth limits hold for every operation: with a limit of one, a second request that inserts rows is rejected. The
 * operations come from the registry.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasGrowthLimit } from '../../src/contract/growth-limit.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { isAllowed } from '../../src/contract/roles.ts';
import { type OperationId, operations } from '../../src/server/operations/index.ts';
import { startServer, type TestServer } from '../harness.ts';
import type { RawResponse } from '../server/property/raw-sender.ts';
import {
  type GrowthFixture,
  type GrowthRequest,
  growthRequests,
  renewalRequests,
  requestsWithoutGrowth,
  sendGrowthRequest,
  startGrowthFixture,
} from './growth-limit-requests.ts';
import { createOwners } from './object-access/object-access-callers.ts';
import { otherOwnersSeed } from './object-access/object-access-fixture.ts';
import { buildNamingRequest } from './object-access/object-access-requests.ts';
import { formatOutcome } from './object-access/object-access-responses.ts';

const registry = Object.values(operations as Record<string, Operation<never>>);

/** The authorities of a user who signed up without an administrator and has not logged in with a password. */
const selfRegistered = {
  roles: new Set(['CLI-AUTH-IDENTIFIED', 'CLI-1STPARTY', 'AUTH-IDENTIFIED', 'USER', 'PERSON']),
  scope: new Set<string>(),
};

/** Those that anyone can call. */
const openOperations = registry.filter(
  (operation) =>
    hasGrowthLimit(operation) && (operation.auth !== 'caller' || isAllowed(operation.roles, selfRegistered)),
);

let fixture: GrowthFixture;
beforeAll(async () => {
  fixture = await startGrowthFixture({ 'growth-limit': '1', 'growth-limit-owners': '1', 'growth-limit-owner': '0' });
});
afterAll(() => fixture[Symbol.asyncDispose]());

const sendRequest = (id: OperationId, request: GrowthRequest, source: string | undefined) =>
  sendGrowthRequest(fixture.server, id, request, source);

/** The rows of the store. */
async function listRows(server: TestServer): Promise<Set<string>> {
  return new Set(
    Object.entries(await server.dump()).flatMap(([table, rows]) =>
      (rows as Record<string, unknown>[]).map((row) => `${table} ${Object.values(row)[0]}`),
    ),
  );
}

/** How many rows of the store were not there before. */
async function countInserted(work: () => Promise<unknown>): Promise<number> {
  const before = await listRows(fixture.server);
  await work();
  return [...(await listRows(fixture.server))].filter((key) => !before.has(key)).length;
}

let sources = 0;
const newSource = () => {
  sources += 1;
  return `198.51.100.${sources}`;
};

test('every operation that anyone can call has a request here', () => {
  expect([growthRequests, renewalRequests, requestsWithoutGrowth].flatMap(Object.keys).sort()).toEqual(
    openOperations.map(({ id }) => id).sort(),
  );
});

describe.each(Object.entries(growthRequests))('%s', (name, make) => {
  const id = name as OperationId;

  test('is accepted up to the limit, then rejected, and leaves the store unchanged', async () => {
    const source = newSource();
    const first = await make(fixture);
    let response: RawResponse | undefined;
    expect(
      await countInserted(async () => {
        response = await sendRequest(id, first, source);
      }),
    ).toBeGreaterThan(0);
    expect([200, 201, 204], response?.text).toContain(response?.status);
    const second = await make(fixture);
    const before = await fixture.server.dump();
    const rejected = await sendRequest(id, second, source);
    expect(rejected).toMatchObject({ status: 429, headers: { 'retry-after': '3600' } });
    const { errorFormat } = operations[id] as unknown as Operation<never>;
    if (errorFormat !== 'oauth') expect(rejected.json).toMatchObject([{ code: 'GROWTH_LIMIT' }]);
    expect(rejected.text).toContain('setting growth-limit');
    expect(await fixture.server.dump()).toEqual(before);
    // The rejected request is still valid for other sources.
    expect([200, 201, 204]).toContain((await sendRequest(id, second, newSource())).status);
  });

  test('has no limit on a loopback address', async () => {
    for (let calls = 0; calls < 2; calls += 1) {
      const { status, text } = await sendRequest(id, await make(fixture), undefined);
      expect([200, 201, 204], text).toContain(status);
    }
  });
});

test.each(Object.entries(renewalRequests))('%s is no creation', async (name, make) => {
  const id = name as OperationId;
  const source = newSource();
  for (let calls = 0; calls < 3; calls += 1) {
    const { status, text } = await sendRequest(id, await make(fixture), source);
    expect([200, 201], text).toContain(status);
  }
});

test.each(Object.entries(requestsWithoutGrowth))('%s inserts no row and does not count', async (name, make) => {
  const id = name as OperationId;
  const source = newSource();
  for (let calls = 0; calls < 3; calls += 1) {
    const creation = await make(fixture);
    let response: RawResponse | undefined;
    expect(
      await countInserted(async () => {
        response = await sendRequest(id, creation, source);
      }),
    ).toBe(0);
    expect([200, 204], response?.text).toContain(response?.status);
  }
});

describe('callers without an administrative role, whose network has used its limits', () => {
  const network = '203.0.113.1';
  const flags = {
    'trusted-proxies': '127.0.0.0/8',
    'growth-limit': '1',
    'growth-limit-owners': '1',
    'fast-passwords': true,
  };
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ flags, seed: otherOwnersSeed });
    server.appContext.growthLimits.reserve({ network });
    server.appContext.growthLimits.reserve({ network, owner: 'another' });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('insert no row with any operation', async () => {
    // A first-party client without an owner has no limit.
    const callers = (await createOwners(server)).filter(({ name }) => name !== 'client');
    const parameter = { location: 'header', path: ['none'], name: 'none', kind: undefined } as const;
    let known = await listRows(server);
    const limited = [];
    for (const operation of registry.filter(({ method }) => method !== 'GET')) {
      let isLimited = false;
      for (const [number, caller] of callers.entries()) {
        const request = buildNamingRequest({ operation, caller, parameter, value: '', number });
        const headers = [...(request.headers ?? []), ['X-Forwarded-For', network] as const];
        const response = await server.send({ ...request, headers });
        isLimited ||= formatOutcome(response).includes('GROWTH_LIMIT');
      }
      const rows = await listRows(server);
      expect(
        [...rows].filter((row) => !known.has(row)),
        operation.id,
      ).toEqual([]);
      known = rows;
      if (isLimited) limited.push(operation);
    }
    // Those without are rejected for the made-up values of these requests, before they write.
    expect(limited.length).toBeGreaterThan(30);
    expect(limited.filter((operation) => !hasGrowthLimit(operation))).toEqual([]);
  });
});

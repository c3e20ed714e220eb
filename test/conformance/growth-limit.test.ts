/** The growth limit holds for every operation that callers reach without authentication; the operations come from the registry. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasGrowthLimit } from '../../src/contract/growth-limit.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { type OperationId, operations } from '../../src/server/operations/index.ts';
import type { RawResponse } from '../server/property/raw-sender.ts';
import {
  type GrowthFixture,
  type GrowthRequest,
  growthRequests,
  requestsWithoutGrowth,
  sendGrowthRequest,
  startGrowthFixture,
} from './growth-limit-requests.ts';

const limitedOperations = Object.values(operations as Record<string, Operation<never>>).filter(hasGrowthLimit);

let fixture: GrowthFixture;
beforeAll(async () => {
  fixture = await startGrowthFixture({ 'growth-limit': '1' });
});
afterAll(() => fixture[Symbol.asyncDispose]());

const sendRequest = (id: OperationId, request: GrowthRequest, source: string | undefined) =>
  sendGrowthRequest(fixture.server, id, request, source);

/** How many rows of the store were not there before. */
async function countInserted(work: () => Promise<unknown>): Promise<number> {
  const keys = async () =>
    new Set(
      Object.entries(await fixture.server.dump()).flatMap(([table, rows]) =>
        (rows as Record<string, unknown>[]).map((row) => `${table} ${Object.values(row)[0]}`),
      ),
    );
  const before = await keys();
  await work();
  return [...(await keys())].filter((key) => !before.has(key)).length;
}

let sources = 0;
const newSource = () => {
  sources += 1;
  return `198.51.100.${sources}`;
};

test('every operation with a growth limit has a request here', () => {
  expect([...Object.keys(growthRequests), ...Object.keys(requestsWithoutGrowth)].sort()).toEqual(
    limitedOperations.map(({ id }) => id).sort(),
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

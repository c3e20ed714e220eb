/**
 * A request that succeeds, sent by clients with each minimal set of roles of its operation and with one role less. The
 * former suffice; the latter, and callers without valid credentials, are rejected and change nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasGrowthLimit } from '../../../src/contract/growth-limit.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { operations } from '../../../src/server/operations/index.ts';
import { startServer, type TestClient, type TestServer } from '../../harness.ts';
import { insertKey } from './matrix-callers.ts';
import { listClientRoles } from './role-sets.ts';
import {
  buildValidRequest,
  createObjects,
  type RequestObjects,
  validRequestsSeed,
  walkedOperations,
} from './valid-requests.ts';

type Headers = Parameters<typeof buildValidRequest>[0]['headers'];

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ flags: { 'disable-rate-limits': true }, seed: validRequestsSeed });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Of new objects and callers; each number is used once. */
let number = 0;

/** Clients authenticate with API keys: no operation reads those as the password of a user. */
async function createCaller(fields: TestClient): Promise<Headers> {
  number += 1;
  const { clientId } = await server.makeClient(fields);
  const key = `api-key-of-the-caller-${clientId}`;
  await insertKey(server, `caller-${number}`, key, clientId);
  return [['X-Api-Key', key]];
}

async function createRequestObjects(): Promise<RequestObjects & { readonly number: number }> {
  number += 1;
  return { ...(await createObjects(server, number)), number };
}

describe.each(walkedOperations.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  const clients = listClientRoles(operation);

  test.each(clients.filter(({ isAllowed }) => isAllowed))('accepts a client with exactly $name', async ({ fields }) => {
    const { number: ofRequest, ...objects } = await createRequestObjects();
    const headers = await createCaller({ ...fields, businessId: objects.business });
    const { status, text } = await server.send(buildValidRequest({ operation, headers, objects, number: ofRequest }));
    expect(status, text).toBeLessThan(300);
  });

  test('rejects clients without one of the roles and leaves the store unchanged', async () => {
    const { number: ofRequest, ...objects } = await createRequestObjects();
    const rejected = clients.filter(({ isAllowed }) => !isAllowed);
    expect(rejected.length).toBeGreaterThan(0);
    const callers: [string, Headers, string][] = [
      ['without credentials', [], 'CREDENTIALS_MISSING'],
      ['with an unknown API key', [['X-Api-Key', 'unknown']], 'CREDENTIALS_INVALID'],
    ];
    for (const { name, fields } of rejected)
      callers.push([name, await createCaller({ ...fields, businessId: objects.business }), 'ROLE_MISSING']);
    const before = await server.dump();
    for (const [name, headers, code] of callers) {
      const { json } = await server.send(buildValidRequest({ operation, headers, objects, number: ofRequest }));
      expect([name, json]).toMatchObject([name, [{ code }]]);
    }
    expect(await server.dump()).toEqual(before);
  });
});

const ofUsers = Object.values<Operation<never>>(operations).filter(({ rolesText }) => /\bUSER\b/.test(rolesText));

test.each(ofUsers)(
  '$id rejects a client with the roles of a user and leaves the store unchanged',
  async (operation) => {
    const { number: ofRequest, ...objects } = await createRequestObjects();
    const headers = await createCaller({ authorities: ['AUTH-BASIC', 'AUTH-MFA', 'USER'] });
    const before = await server.dump();
    const { json } = await server.send(buildValidRequest({ operation, headers, objects, number: ofRequest }));
    expect(json).toMatchObject([{ code: 'USER_MISSING' }]);
    expect(await server.dump()).toEqual(before);
  },
);

test('every other operation is for users in a session, or has a growth limit', () => {
  const others = Object.values<Operation<never>>(operations).filter(
    (operation) => !walkedOperations.includes(operation) && !hasGrowthLimit(operation),
  );
  expect(others.filter(({ rolesText }) => !/\bUSER\b|^none$/.test(rolesText)).map(({ id }) => id)).toEqual([]);
  expect(walkedOperations.length).toBeGreaterThan(40);
});

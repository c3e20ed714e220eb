import { afterEach, expect, test, vi } from 'vitest';
import loginClient from '../../../src/server/operations/client-identities/login.ts';
import getGroup from '../../../src/server/operations/groups/get.ts';
import { adminClient, startServer } from '../../harness.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns the contexts that the handlers of a public and of an authenticated operation receive. */
async function recordContexts() {
  const handlers = [vi.spyOn(loginClient, 'handle'), vi.spyOn(getGroup, 'handle')] as const;
  await using server = await startServer();
  await server.as(adminClient).clientIdentities.login();
  const { groupId } = await server.admin.groups.create({ body: { groupName: 'ops' } });
  await server.admin.groups.get({ params: { groupId } });
  return handlers.map(({ mock }) => mock.calls[0]?.[1] as object);
}

test('passes values to a handler, not getters created for the request', async () => {
  for (const context of await recordContexts()) {
    const getters = Object.entries(Object.getOwnPropertyDescriptors(context)).filter(([, { get }]) => get);
    expect(getters).toEqual([]);
  }
});

test('passes the caller to a handler; that of a public operation throws when it reads the caller', async () => {
  const [ofLogin, ofGet] = (await recordContexts()) as { caller: { subject: string } }[];
  expect(ofGet?.caller.subject).toBe(adminClient.clientId);
  expect(() => ofLogin?.caller.subject).toThrow(
    'client-identities.login reads the caller, but accepts unauthenticated requests',
  );
});

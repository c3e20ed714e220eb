import { afterEach, expect, test, vi } from 'vitest';
import loginClient from '../../../src/server/operations/client-identities/login.ts';
import getGroup from '../../../src/server/operations/groups/get.ts';
import { adminClient, startServer } from '../../harness.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Records the contexts that two handlers receive: one operation is public, the other needs a caller. */
async function contexts() {
  const handlers = [vi.spyOn(loginClient, 'handle'), vi.spyOn(getGroup, 'handle')] as const;
  await using server = await startServer();
  await server.as(adminClient).clientIdentities.login();
  const { groupId } = await server.admin.groups.create({ body: { groupName: 'ops' } });
  await server.admin.groups.get({ params: { groupId } });
  return handlers.map(({ mock }) => mock.calls[0]?.[1] as object);
}

test('passes values to a handler, not getters created for the request', async () => {
  for (const context of await contexts()) {
    const getters = Object.entries(Object.getOwnPropertyDescriptors(context)).filter(([, { get }]) => get);
    expect(getters).toEqual([]);
  }
});

test('passes the caller to the handler of a public operation if there is one, and an error otherwise', async () => {
  const [ofLogin, ofGet] = (await contexts()) as { caller: { subject: string } }[];
  expect(ofGet?.caller.subject).toBe(adminClient.clientId);
  expect(() => ofLogin?.caller.subject).toThrow(
    'client-identities.login reads the caller, but accepts unauthenticated requests',
  );
});

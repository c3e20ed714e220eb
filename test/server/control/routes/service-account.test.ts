/** A client without a service account gets one later, once. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../harness.ts';
import { asUser } from '../../operations/user-token.ts';
import { send } from '../control-client.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    seed: {
      users: [{ userId: 'ann', userName: 'ann.lee' }],
      groups: [{ groupName: 'ops' }],
      clients: [
        { clientId: 'plain', appId: 'plain' },
        { clientId: 'partner', appId: 'partner', party: '3RDPARTY' },
        { clientId: 'bot', appId: 'bot', serviceAccountId: 'bot-account' },
      ],
    },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const update = (id: string, serviceAccountId: string) =>
  send(server, `/_iam/clients/${id}`, { method: 'PATCH', body: { serviceAccountId } });

test('the client can be in groups then, and the account cannot change', async () => {
  expect(await update('plain', 'plain-account')).toMatchObject({
    status: 200,
    body: { serviceAccountId: 'plain-account' },
  });
  expect((await update('plain', 'plain-account')).status).toBe(200);
  expect(await update('plain', 'other-account')).toMatchObject({ status: 422, body: [{ code: 'FIELD_VALUE' }] });
  const { body } = await send(server, '/_iam/clients/plain');
  expect(body).toMatchObject({ serviceAccountId: 'plain-account' });
  const seed = { groups: [{ groupName: 'ops', services: ['plain-account'] }] };
  expect((await send(server, '/_iam/seed', { method: 'POST', body: seed })).status).toBe(200);
});

test.each([
  ['the id of another account', 'partner', 'bot-account'],
  ['the id of a user', 'partner', 'ann'],
  ['the login name of a user, for a third-party client', 'partner', 'ann.lee'],
])('%s is refused, and nothing changes', async (_what, id, name) => {
  expect(await update(id, name)).toMatchObject({ body: [{ code: 'ID_TAKEN' }] });
  expect((await send(server, `/_iam/clients/${id}`)).body).not.toHaveProperty('serviceAccountId');
});

test('an owner who may not choose it does not learn which ids and login names exist', async () => {
  const users = [{ userId: 'ann', userName: 'ann.lee' }];
  await using remote = await startServer({ flags: { host: '0.0.0.0', 'allow-remote': true }, seed: { users } });
  const owner = await asUser(remote, { userId: 'mallory' });
  await remote.makeClient({ clientId: 'partner', party: '3RDPARTY', userId: 'mallory' });
  const names = ['ann', 'ann.lee', 'free'];
  const requests = names.map((serviceAccountId) =>
    owner.raw('PATCH', '/_iam/clients/partner', { body: { serviceAccountId } }),
  );
  const responses = await Promise.all(requests);
  const [first] = responses.map(({ status, body }) => ({ status, body }));
  expect(first).toMatchObject({ status: 403, body: [{ code: 'GRANT_EXCEEDED' }] });
  for (const response of responses) expect(response).toMatchObject(first ?? {});
});

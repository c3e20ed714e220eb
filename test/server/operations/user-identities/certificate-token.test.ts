import { describe, expect, test } from 'vitest';
import { appClientId, startServer } from '../../../harness.ts';
import { catchClientError, testAccess } from '../access.ts';
import { post } from './login-fixtures.ts';

const id = 'user-identities.certificate-token';

testAccess(id, async () => ({}));

test('gives a merely named client a value to sign, for 120 seconds, and keeps its hash only', async () => {
  await using server = await startServer();
  const { token, expiresIn } = await server.as().userIdentities.certificateToken({ query: { clientId: appClientId } });
  expect({ expiresIn, length: token.length >= 43 }).toEqual({ expiresIn: '120', length: true });
  const [ticket, ...others] = await server.appContext.store.tickets.list();
  expect(others).toEqual([]);
  expect(ticket).toMatchObject({ kind: 'certificate-nonce', clientId: appClientId });
  expect(JSON.stringify(await server.dump())).not.toContain(token);
});

test('gives another value each time', async () => {
  await using server = await startServer();
  const call = () => server.as().userIdentities.certificateToken({ query: { clientId: appClientId } });
  const values = await Promise.all(Array.from({ length: 20 }, call));
  expect(new Set(values.map(({ token }) => token)).size).toBe(20);
});

describe('the call', () => {
  test('may have any body, and its answer is not kept by anybody', async () => {
    await using server = await startServer();
    const path = `/user-identities/digital-certificate/token?clientId=${appClientId}`;
    for (const body of [undefined, '', '{', '{"unknown":1}'])
      expect(await post(server, path, { 'content-type': 'application/json' }, body)).toMatchObject({
        status: 201,
        headers: { 'cache-control': 'no-store' },
      });
  });

  test('is refused as a client of a third party', async () => {
    await using server = await startServer();
    const { clientId } = await server.makeClient({ party: '3RDPARTY' });
    const failure = await catchClientError(server.as().userIdentities.certificateToken({ query: { clientId } }));
    expect(failure).toMatchObject({ status: 401, code: 'ROLE_MISSING' });
  });
});

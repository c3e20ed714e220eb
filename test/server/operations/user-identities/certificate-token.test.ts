import { describe, expect, test } from 'vitest';
import { appClientId, startServer } from '../../../harness.ts';
import { post } from './login-fixtures.ts';

test('issues a nonce to an identified client, valid for 120 seconds, and stores only its hash', async () => {
  await using server = await startServer();
  const { token, expiresIn } = await server.as().userIdentities.certificateToken({ query: { clientId: appClientId } });
  expect({ expiresIn, length: token.length >= 43 }).toEqual({ expiresIn: '120', length: true });
  const [ticket, ...others] = await server.appContext.store.tickets.list();
  expect(others).toEqual([]);
  expect(ticket).toMatchObject({ kind: 'certificate-nonce', clientId: appClientId });
  expect(JSON.stringify(await server.dump())).not.toContain(token);
});

test('issues a different nonce for each request', async () => {
  await using server = await startServer();
  const request = () => server.as().userIdentities.certificateToken({ query: { clientId: appClientId } });
  const values = await Promise.all(Array.from({ length: 20 }, request));
  expect(new Set(values.map(({ token }) => token)).size).toBe(20);
});

describe('the request', () => {
  test('may have any body, and its response is not cacheable', async () => {
    await using server = await startServer();
    const path = `/user-identities/digital-certificate/token?clientId=${appClientId}`;
    for (const body of [undefined, '', '{', '{"unknown":1}'])
      expect(await post(server, path, { 'content-type': 'application/json' }, body)).toMatchObject({
        status: 201,
        headers: { 'cache-control': 'no-store' },
      });
  });
});

import { describe, expect, test } from 'vitest';
import { alice, postJson, readClaims, startWith } from './login-fixtures.ts';
import { createTokens } from './session-fixtures.ts';

const path = '/user-identities/me/access-token';

describe('issues a token', () => {
  test.each([
    [{}, ['READ', 'WRITE']],
    [{ scope: ['READ', 'WRITE'] }, ['READ', 'WRITE']],
    [{ scope: ['WRITE', 'READ', 'WRITE'] }, ['READ', 'WRITE']],
    [{ scope: ['WRITE'] }, ['WRITE']],
    [{ scope: [] }, []],
  ])('for %j with the scope %j, without a refresh token', async (body, scope) => {
    await using server = await startWith();
    const first = await createTokens(server);
    const token = await server.as({ token: first.accessToken }).userIdentities.accessToken({ body });
    expect(token).toEqual({ accessToken: expect.any(String), tokenType: 'Bearer', expiresIn: '3600', scope });
    expect(readClaims(token)).toMatchObject({ sub: alice.userId, scope, sid: readClaims(first).sid });
    expect(readClaims(token).authorities).toEqual(readClaims(first).authorities);
  });

  test('for a request without a body as for an empty one', async () => {
    await using server = await startWith();
    const { accessToken } = await createTokens(server);
    const token = await server.as({ token: accessToken }).userIdentities.accessToken();
    expect(token.scope).toEqual(['READ', 'WRITE']);
  });
});

describe('a narrowed token', () => {
  test('cannot widen its scope and leaves the tokens of its session unchanged', async () => {
    await using server = await startWith();
    const { accessToken } = await createTokens(server);
    const wide = server.as({ token: accessToken }).userIdentities;
    const narrow = server.as({ token: (await wide.accessToken({ body: { scope: ['READ'] } })).accessToken });
    await expect(narrow.userIdentities.accessToken({ body: { scope: ['READ', 'WRITE'] } })).rejects.toMatchObject({
      status: 422,
      code: 'SCOPE_EXCEEDED',
    });
    expect((await narrow.userIdentities.accessToken({ body: {} })).scope).toEqual(['READ']);
    expect((await wide.accessToken({ body: {} })).scope).toEqual(['READ', 'WRITE']);
  });

  test('loses what its client loses', async () => {
    await using server = await startWith();
    const { clientId } = await server.makeClient({ scope: ['READ', 'WRITE'] });
    const { accessToken } = await createTokens(server, { clientId });
    await server.appContext.store.transaction(async (tx) => {
      const client = await tx.clients.get(clientId);
      if (client) await tx.clients.replace({ ...client, scope: ['READ'] });
    });
    const caller = server.as({ token: accessToken }).userIdentities;
    await expect(caller.accessToken({ body: { scope: ['WRITE'] } })).rejects.toMatchObject({ code: 'SCOPE_EXCEEDED' });
    expect((await caller.accessToken({ body: {} })).scope).toEqual(['READ']);
  });
});

test('rejects an invalid body and a scope wider than that of the caller, and leaves the store unchanged', async () => {
  await using server = await startWith();
  const { accessToken } = await createTokens(server);
  const authorization = `Bearer ${accessToken}`;
  const before = await server.dump();
  const cases: [unknown, number, string][] = [
    [{ scope: Array.from({ length: 101 }, () => 'READ') }, 422, 'FIELD_VALUE'],
    [{ scope: ['READ', 'ADMIN'] }, 422, 'SCOPE_EXCEEDED'],
  ];
  for (const [body, status, code] of cases)
    expect(await postJson(server, path, body as object, { authorization })).toMatchObject({ status, json: [{ code }] });
  expect(await server.dump()).toEqual(before);
});

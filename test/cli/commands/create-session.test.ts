import { readFile, stat } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { startFakeServer } from '../../client/fake-server.ts';
import { adminClient, startServer } from '../../harness.ts';
import { Home, test } from '../run-cli.ts';

const variables = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
const seed = {
  users: [{ userId: 'ann', userName: 'ann.lee', userEmail: 'ann@example.com' }],
  clients: [{ clientId: 'web', grantTypes: ['password'] }],
};

async function open(flags: Record<string, string> = {}) {
  const home = await Home.make();
  const server = await startServer({ seed, flags });
  const run = { url: server.url, variables };
  return {
    home,
    server,
    create: (...words: string[]) => home.iam(['sessions', 'create', ...words], run),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

describe('sessions create', () => {
  test('starts a session of a user by name, at a level, and does not print its tokens', async () => {
    await using opened = await open();
    const { server, create } = opened;
    const { code, out, err } = await create(
      'ann@example.com',
      '--level',
      'AUTH-MFA',
      '--client-id',
      'web',
      '-o',
      'json',
    );
    const [session] = await server.appContext.store.sessions.list();
    expect([code, JSON.parse(out)]).toEqual([0, { sessionId: session?.sessionId, userId: 'ann' }]);
    expect(err).toContain('--secret-output FILE');
    expect(session).toMatchObject({ userId: 'ann', clientId: 'web' });
    const listed = await opened.home.iam(['sessions', 'list', '-o', 'json'], { url: server.url, variables });
    expect(JSON.parse(listed.out)).toMatchObject([{ level: 'AUTH-MFA' }]);
  });

  test('prints the tokens on request, or writes them to a private file', async () => {
    await using opened = await open();
    const { home, server, create } = opened;
    const shown = JSON.parse((await create('ann', '--show-token', '-o', 'json')).out) as { accessToken: string };
    const file = home.file('ann.token');
    const { out } = await create('ann', '--client-id', 'web', '--secret-output', file);
    expect(out).not.toContain('eyJ');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const written = (await readFile(file, 'utf8')).trimEnd();
    for (const token of [shown.accessToken, written])
      expect((await fetch(`${server.url}/security/iam/v1/groups`, bearer(token))).status).not.toBe(401);
    // An existing file is not overwritten, and no session is started for it.
    const before = await server.appContext.store.sessions.count();
    expect((await create('ann', '--secret-output', file)).code).toBe(2);
    expect(await server.appContext.store.sessions.count()).toBe(before);
    expect((await readFile(file, 'utf8')).trimEnd()).toBe(written);
  });

  test.each([
    [['unknown'], 3, 'USER_NOT_FOUND'],
    [['ann', '--client-id', 'unknown'], 3, 'CLIENT_NOT_FOUND'],
    [['ann', '--level', 'MFA'], 2, 'AUTH-MFA'],
    [['ann', '--show-token', '--secret-output', 'x'], 2, 'exclude each other'],
    [['ann', '--show-token', '-o', 'name'], 2, '--show-token'],
    [[], 10, 'user'],
    [['--client-id', 'web', '--level', 'AUTH-MFA'], 2, '--level'],
    [['--client-id', 'unknown'], 3, 'CLIENT_NOT_FOUND'],
  ])('%j is rejected and starts no session', async (words, code, text) => {
    await using opened = await open();
    expect(await opened.create(...words)).toMatchObject({ code, out: '', err: expect.stringContaining(text) });
    expect(await opened.server.appContext.store.sessions.count()).toBe(0);
  });

  test('issues a token of a client without a user and without a session', async () => {
    await using opened = await open();
    const { out } = await opened.create('--client-id', 'web', '--show-token', '-o', 'json');
    const { accessToken, sessionId } = JSON.parse(out) as { accessToken: string; sessionId?: string };
    expect((await fetch(`${opened.server.url}/security/iam/v1/groups`, bearer(accessToken))).status).not.toBe(401);
    expect([sessionId, await opened.server.appContext.store.sessions.count()]).toEqual([undefined, 0]);
    const hidden = await opened.create('--client-id', 'web');
    expect([hidden.code, hidden.out.includes('eyJ'), hidden.err]).toEqual([
      0,
      false,
      expect.stringContaining('--show-token'),
    ]);
  });

  test('is rejected where test features are off', async () => {
    await using opened = await open({ 'test-features': 'off' });
    expect((await opened.create('ann')).err).toContain('TEST_FEATURES_OFF');
  });

  test('previews the request', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    const words = ['sessions', 'create', '64b0c0ffee00000000000001', '--level', 'AUTH-MFA', '--dry-run'];
    const { out } = await home.iam(words, { url: server.url });
    expect(out).toContain(`POST ${server.url}/_iam/sessions\n`);
    expect(out).toContain('"level": "AUTH-MFA"');
    expect(server.received.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

function bearer(token: string): RequestInit {
  return { headers: { Authorization: `Bearer ${token}` } };
}

/** Logins against the real server, and concurrent processes that share a session. */
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { getSessionPath } from '../../src/cli/auth/session-file.ts';
import { errorResponse, startFakeServer } from '../client/fake-server.ts';
import { effort } from '../effort.ts';
import { Sandbox } from './cli-process.ts';
import { makeRunner } from './runner.ts';

const administrator = {
  IAM_APP_CLIENT_ID: 'e2e-app',
  IAM_ADMIN_USER: 'root@example.com',
  IAM_ADMIN_PASSWORD: 'a-long-password-of-the-end-to-end-tests',
};
const asRoot = (url: string) => [
  'login',
  '--base-url',
  url,
  '--user',
  'root@example.com',
  '--client-id',
  'e2e-app',
  '--password-stdin',
];

/** Marks the stored token as expired. */
async function expire(sandbox: Pick<Sandbox, 'file'>): Promise<void> {
  const file = getSessionPath('default', { XDG_CACHE_HOME: sandbox.file('cache') });
  const session = JSON.parse(await readFile(file, 'utf8')) as object;
  await writeFile(file, JSON.stringify({ ...session, expiresAt: 0 }));
}

describe('a user of the real server', () => {
  test('logs in, is identified, renews and logs out', async () => {
    await using sandbox = await makeRunner();
    const { url } = await sandbox.serve(['--store', 'memory'], administrator);
    const password = administrator.IAM_ADMIN_PASSWORD;
    expect((await sandbox.iam(asRoot(url), {}, 'wrong')).code).toBe(4);
    expect(await sandbox.iam(asRoot(url), {}, `${password}\n`)).toMatchObject({ code: 0, out: '' });
    const identity = JSON.parse((await sandbox.iam(['whoami', '-o', 'json'])).out) as Record<string, unknown>;
    expect(identity).toMatchObject({ userName: 'root@example.com', clientId: 'e2e-app', signedInBy: 'session' });
    expect(identity.roles).toEqual(expect.arrayContaining(['AUTH-BASIC', 'ADMIN']));
    expect((await sandbox.iam(['groups', 'list'])).code).toBe(0);
    await expire(sandbox);
    expect((await sandbox.iam(['groups', 'list'])).code).toBe(0);
    expect((await sandbox.iam(['groups', 'list', '--debug'])).err).not.toContain('generate-token');
    const file = getSessionPath('default', { XDG_CACHE_HOME: sandbox.file('cache') });
    const { accessToken: IAM_TOKEN } = JSON.parse(await readFile(file, 'utf8')) as { accessToken: string };
    expect((await sandbox.iam(['groups', 'list'], { IAM_BASE_URL: url, IAM_TOKEN })).code).toBe(0);
    expect((await sandbox.iam(['logout'])).code).toBe(0);
    expect((await sandbox.iam(['groups', 'list'])).code).toBe(4);
    expect((await sandbox.iam(['groups', 'list'], { IAM_BASE_URL: url, IAM_TOKEN })).code).toBe(4);
  });

  test('is signed in by environment variables, without MFA authorities', async () => {
    await using sandbox = await makeRunner();
    const { url } = await sandbox.serve(['--store', 'memory'], administrator);
    const variables = {
      IAM_BASE_URL: url,
      IAM_CLIENT_ID: 'e2e-app',
      IAM_USERNAME: administrator.IAM_ADMIN_USER,
      IAM_PASSWORD: administrator.IAM_ADMIN_PASSWORD,
    };
    expect((await sandbox.iam(['groups', 'list'], variables)).code).toBe(0);
    const rejected = await sandbox.iam(['clients', 'create', '--app-id', 'x'], variables);
    expect(rejected).toMatchObject({ code: 5, err: expect.stringContaining('AUTH-MFA') });
  });
});

test('concurrent processes renew a session once', async () => {
  await using sandbox = await Sandbox.make();
  let issued = 0;
  const grant = () => {
    issued += 1;
    const json = {
      accessToken: `a${issued}`,
      refreshToken: `r${issued}`,
      expiresIn: '600',
      tokenType: 'Bearer',
      scope: [],
    };
    return { status: 201, json };
  };
  await using server = await startFakeServer(({ path, body, headers }) => {
    if (path.includes('/login')) return grant();
    if (path.endsWith('/generate-token'))
      return body.includes(`"r${issued}"`) ? grant() : errorResponse(401, 'CREDENTIALS_INVALID');
    return headers.authorization === `Bearer a${issued}` ? { json: [] } : errorResponse(401, 'TOKEN_INVALID');
  });
  expect((await sandbox.iam(asRoot(server.url), {}, 'p')).code).toBe(0);
  await expire(sandbox);
  const outcomes = await Promise.all(
    Array.from({ length: 2 * Math.max(2, effort) }, () => sandbox.iam(['groups', 'list', '-q'])),
  );
  expect(outcomes.map(({ code, err }) => [code, err])).toEqual(outcomes.map(() => [0, '']));
  expect(server.received.filter(({ path }) => path.endsWith('/generate-token'))).toHaveLength(1);
});

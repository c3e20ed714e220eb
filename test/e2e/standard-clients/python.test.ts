/** Unmodified Authlib and PyJWT, where a Python has them (Debian: python3-authlib, python3-jwt, python3-requests). */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../cli-process.ts';
import { makeRunner } from '../runner.ts';

const modules = 'import authlib.integrations.requests_client, jwt, cryptography';
const python = ['python3', '/usr/bin/python3'].find((program) => spawnSync(program, ['-c', modules]).status === 0);
const script = path.join(root, 'test/e2e/standard-clients/python_clients.py');

/** Characters that form-encoding or Basic could spoil. Authlib sends others than ASCII as Latin-1, which the server rejects. */
const secret = 'demo-only: 50%41 + "c=d"&?#~';
const password = 'demo-only+password & more%';

const seed = {
  clients: [
    {
      ...{ clientId: 'standard-web', clientSecret: secret, appId: 'standard-web', party: '1STPARTY' },
      ...{
        scope: ['READ', 'WRITE'],
        grantTypes: ['client_credentials', 'password', 'refresh_token', 'authorization_code'],
      },
      ...{ redirectURI: 'https://app.example/callback', postLogoutRedirectURIs: ['https://app.example/bye'] },
    },
  ],
  users: [{ userId: 'ada', userName: 'ada', password, userEmail: 'ada@example.com' }],
};

test('Authlib and PyJWT work unchanged', async (context) => {
  if (python === undefined) return context.skip('no Python here has authlib, requests and jwt');
  await using sandbox = await makeRunner();
  await writeFile(sandbox.file('seed.json'), JSON.stringify(seed));
  const { url } = await sandbox.serve(['--store', 'memory', '--seed', sandbox.file('seed.json')]);
  const variables = {
    ...{ IAM_BASE_URL: url, CLIENT_ID: 'standard-web', CLIENT_SECRET: secret },
    ...{ USER_NAME: 'ada', USER_PASSWORD: password, PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '*' },
  };
  const { code, err } = await sandbox.start(python, [script], variables).done;
  expect(err).toMatch(/\nRan 6 tests in .*\n\nOK\n$/);
  expect(code).toBe(0);
});

/** HAProxy verifies tokens with the exported public key, with the lines that docs/oauth.md shows. Skipped without HAProxy. */
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { root } from '../cli-process.ts';
import { makeRunner } from '../runner.ts';
import { findFreePort, forgeClaims, getStatus } from './proxies.ts';

const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0;
const service = '/security/iam/v1';

/** The frontend in docs/oauth.md, for this server and key. */
async function documentedFrontend(issuer: string, keyFile: string): Promise<string> {
  const page = await readFile(path.join(root, 'docs/oauth.md'), 'utf8');
  const [, frontend = ''] = /```\n(frontend api\n[\s\S]*?)```/.exec(page) ?? [];
  expect(frontend).toContain('jwt_verify');
  return frontend.replaceAll('http://127.0.0.1:8080', issuer).replaceAll('iam-public.pem', keyFile);
}

async function obtainToken(base: string, { IAM_CLIENT_ID, IAM_CLIENT_SECRET }: Readonly<Record<string, string>>) {
  const authorization = `Basic ${Buffer.from(`${IAM_CLIENT_ID}:${IAM_CLIENT_SECRET}`).toString('base64')}`;
  const url = `${base}${service}/client-identities/login`;
  const response = await fetch(url, { method: 'POST', headers: { authorization } });
  return ((await response.json()) as { accessToken: string }).accessToken;
}

test('HAProxy accepts tokens of the server, and rejects changed, expired and foreign ones', async (context) => {
  context.skip(!hasHaproxy, 'there is no haproxy here');
  await using sandbox = await makeRunner();
  const { url, variables } = await sandbox.serve();
  const pem = await fetch(`${url}${service}/keys`, { headers: { accept: 'application/x-pem-file' } });
  await writeFile(sandbox.file('key.pem'), await pem.text());
  const port = await findFreePort();
  const config = `defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
${await documentedFrontend(url, sandbox.file('key.pem'))}  bind 127.0.0.1:${port}
  http-request return status 200 content-type text/plain string ok
`;
  await writeFile(sandbox.file('haproxy.cfg'), config);
  sandbox.start('haproxy', ['-db', '-f', sandbox.file('haproxy.cfg')]);
  const statusOf = (token?: string) => getStatus(`http://127.0.0.1:${port}/`, token);
  await vi.waitFor(async () => expect(await statusOf()).toBe(401), { timeout: 15_000 });

  const token = await obtainToken(url, variables);
  expect(await statusOf(token)).toBe(200);
  expect(await statusOf(forgeClaims(token, { iss: url, sub: 'admin', exp: 9_999_999_999 }))).toBe(401);
  expect(await statusOf(await obtainToken(`${url}/s/other`, variables))).toBe(401);

  const headers = { 'content-type': 'application/json' };
  await fetch(`${url}/_iam/clock`, { method: 'PUT', headers, body: '{"advance":"-2h"}' });
  expect(await statusOf(await obtainToken(url, variables))).toBe(401);
});

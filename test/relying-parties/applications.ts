/** Applications with other libraries, each a process that knows the issuer and its client, and what they log in to. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { vi } from 'vitest';
import { root } from '../e2e/cli-process.ts';
import { makeRunner, type Runner } from '../e2e/runner.ts';
import { findFreePort } from '../e2e/standard-clients/proxies.ts';

export const user = { userName: 'ada', password: 'demo-only+password & more%' };
const secret = 'only-for-these-tests-0123456789';

const makeClient = (clientId: string, callback: string, more = {}) => ({
  ...{ clientId, appId: clientId, clientSecret: secret, redirectURI: `http://127.0.0.1${callback}` },
  ...{ grantTypes: ['authorization_code', 'refresh_token'], postLogoutRedirectURIs: ['http://127.0.0.1/'] },
  ...more,
});

const seed = {
  users: [{ userId: 'ada-id', ...user, userEmail: 'ada@example.com' }],
  clients: [
    makeClient('auth-js', '/auth/callback/iam', { party: '3RDPARTY', browserLogin: true }),
    makeClient('passport', '/callback', { requirePkce: false }),
    makeClient('express-openid-connect', '/callback', { postLogoutRedirectURIs: ['http://127.0.0.1'] }),
  ],
};

export interface Service extends AsyncDisposable {
  readonly logout: string;
  /** Starts an application. @returns its address */
  start(name: string): Promise<string>;
}

export async function startService(): Promise<Service> {
  const runner = await makeRunner();
  await writeFile(runner.file('seed.json'), JSON.stringify(seed));
  const { url: issuer } = await runner.serve(['--store', 'memory', '--seed', runner.file('seed.json')]);
  return {
    logout: `${issuer}/oauth2/logout`,
    start: (name) => startApplication(runner, name, { ISSUER: issuer, CLIENT_ID: name, CLIENT_SECRET: secret }),
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  };
}

/** Starts a program of this folder, and waits until it responds at its port. @returns its address */
export async function startApplication(
  runner: Runner,
  name: string,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const port = await findFreePort();
  const script = path.join(root, 'test/relying-parties', `${name}.mjs`);
  const { done } = runner.start(process.execPath, [script], { ...variables, PORT: String(port) });
  const url = `http://127.0.0.1:${port}`;
  const failure = done.then(({ err }) => Promise.reject(new Error(err)));
  await Promise.race([vi.waitFor(() => fetch(url), { timeout: 30_000 }), failure]);
  return url;
}

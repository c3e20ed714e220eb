/** The application of compose.yaml: it accepts the access tokens of its service, and nothing else. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type CryptoKey, decodeJwt, decodeProtectedHeader, importJWK, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/server/lib/clock.ts';
import { adminClient, createFakeClock, startServer } from '../../harness.ts';
import { root } from '../../stress/paths.ts';

async function startApplication(iamUrl: string): Promise<{ url: string; process: ChildProcess }> {
  const environment = { PATH: process.env.PATH, IAM_URL: iamUrl, PORT: '0' };
  const child = spawn(process.execPath, [path.join(root, 'examples/container/app.mjs')], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { url, process: child };
}

test('the application of the containers accepts access tokens only, with keys that it keeps', async () => {
  const server = await startServer({ clock: createFakeClock(systemClock.now().toISOString()) });
  const application = await startApplication(server.url);
  const greet = async (token: string) =>
    (await fetch(`${application.url}/hello`, { headers: { authorization: `Bearer ${token}` } })).status;
  try {
    const { accessToken } = await server.as(adminClient).clientIdentities.login();
    expect(await greet(accessToken)).toBe(200);

    const { kid = '', alg = '' } = decodeProtectedHeader(accessToken);
    const row = await server.appContext.store.signingKeys.get(kid);
    const key = (await importJWK(row?.privateJwk ?? {}, alg)) as CryptoKey;
    const sign = (header: object, claims: object) =>
      new SignJWT({ ...decodeJwt(accessToken), ...claims })
        .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
        .sign(key);
    expect(await greet(await sign({}, {}))).toBe(200);
    const rejected = [
      await sign({ typ: 'JWT' }, {}),
      await sign({}, { aud: 'https://other.example' }),
      await sign({}, { iss: 'https://other.example' }),
      await sign({}, { exp: 1 }),
      await sign({ kid: 'unknown' }, {}),
      `${accessToken.slice(0, -4)}AAAA`,
      'no token',
      // As long as the service issues them.
      'a'.repeat(32_768),
    ];
    for (const token of rejected) expect(await greet(token)).toBe(401);

    await server[Symbol.asyncDispose]();
    expect(await greet(accessToken)).toBe(200);
  } finally {
    application.process.kill();
    await once(application.process, 'exit');
  }
});

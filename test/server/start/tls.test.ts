/** HTTPS with a certificate and its key. */
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHead, open, parseResponses, readUntilClosed } from '../http/raw-http.ts';
import { makeCertificate } from './certificate.ts';
import { createLauncher, type Launcher, promptStopLimit } from './spawn.ts';

let launcher: Launcher;
const { cert, key } = makeCertificate();

beforeAll(async () => {
  launcher = await createLauncher();
});
afterAll(() => launcher.remove());

function files(certificate: string, privateKey: string): { 'tls-cert': string; 'tls-key': string } {
  const folder = launcher.folder();
  const [certFile, keyFile] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  writeFileSync(certFile, certificate);
  writeFileSync(keyFile, privateKey);
  return { 'tls-cert': certFile, 'tls-key': keyFile };
}

function get(url: string): Promise<{ status: number | undefined; protocol: string | null; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ca: cert, agent: false }, (response) => {
      const protocol = 'getProtocol' in response.socket ? (response.socket.getProtocol as () => string | null)() : null;
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode, protocol, body }));
    });
    outgoing.on('error', reject).end();
  });
}

test('serves HTTPS under the names of the certificate and reports an https URL', async () => {
  const run = launcher.start({ flags: { store: 'memory', ...files(cert, key) }, hasLongGracePeriod: true });
  const { url } = await run.ready();
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:/);
  expect(await get(`${url}/healthz`)).toMatchObject({ status: 200, protocol: expect.stringMatching(/^TLSv1\.[23]$/) });
  const { body } = await get(`${url}/.well-known/openid-configuration`);
  expect(JSON.parse(body)).toMatchObject({ issuer: url, jwks_uri: `${url}/.well-known/jwks.json` });
  const plain = await open({ url });
  const reading = readUntilClosed(plain);
  plain.write(buildHead('GET /healthz HTTP/1.1', 'Host: localhost'));
  expect(parseResponses(await reading).filter(({ status }) => status === 200)).toEqual([]);
  expect((await get(`${url}/healthz`)).status).toBe(200);
  // A client that never sends a TLS handshake does not delay the stop.
  const silent = await open({ url });
  const silence = readUntilClosed(silent);
  const before = performance.now();
  run.process.kill('SIGTERM');
  expect(await run.exit()).toBe(0);
  await silence;
  expect(performance.now() - before).toBeLessThan(promptStopLimit);
});

test('an invalid, mismatching or missing certificate is reported in one line', async () => {
  const other = makeCertificate();
  const broken = [
    files('no certificate', key),
    files(cert, 'no key'),
    files(cert, other.key),
    { ...files(cert, key), 'tls-key': '/no/such/file' },
  ];
  for (const flags of broken) {
    const run = launcher.start({ flags: { store: 'memory', ...flags } });
    expect(await run.exit()).toBe(2);
    expect(run.stderr()).toMatch(/^error: --tls-cert and --tls-key [^\n]+\n$/);
  }
});

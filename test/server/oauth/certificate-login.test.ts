/** Logins with a client certificate on the pages of a login: over TLS, and behind a proxy. */
import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { startServer, type TestServerOptions } from '../../harness.ts';
import { createAuthority, createCertificate } from '../federation/certificates.ts';
import { alice } from '../operations/user-identities/login-fixtures.ts';
import { makeCertificate } from '../start/certificate.ts';
import { authorizeUrl, createRequest, readAnswer, redeem, seed } from './applications.ts';
import { createBrowser } from './browser.ts';

const root = createAuthority({ name: 'Root', key: 'ec' });
const issuing = createAuthority({ name: 'Issuing', issuer: root, key: 'ec' });
const leaf = createCertificate({
  ...{ name: 'Alice', issuer: issuing, key: 'ec-other', authority: false, keyUsage: [0], purposes: [2] },
  emails: [alice.userEmail],
});
const self = createCertificate({ name: 'Alice', key: 'ec-other', keyUsage: [0], emails: [alice.userEmail] });

const start = (options: TestServerOptions) =>
  startServer({
    ...options,
    seed: { ...seed, providers: [{ kind: 'certificateAuthority', name: 'root', certificate: root.pem }] },
  });

const offer = 'Log in with a certificate';
const proxied = { 'login-certificates': 'proxy', 'trusted-proxies': '127.0.0.1' };
const toField = (...certificates: readonly { readonly der: Buffer }[]) =>
  certificates.map(({ der }) => `:${der.toString('base64')}:`).join(', ');

test('the certificate that a trusted proxy forwards logs its user in with AUTH-MFA', async () => {
  await using server = await start({ flags: proxied });
  const browser = createBrowser({ 'client-cert': toField(leaf), 'client-cert-chain': toField(issuing) });
  const page = await browser.get(authorizeUrl(server, { acr_values: 'AUTH-MFA' }));
  expect(page.text).toContain(offer);
  const { code } = readAnswer(await browser.submit(page, 'certificate'));
  const { id_token: idToken } = (await redeem(server, code)).json as { id_token: string };
  expect(decodeJwt(idToken)).toMatchObject({ sub: alice.userId, acr: 'AUTH-MFA', amr: ['pop', 'mfa'] });
});

test.each([
  ['of no trusted authority', { 'client-cert': toField(self) }],
  ['without its chain', { 'client-cert': toField(leaf) }],
  ['that is none', { 'client-cert': ':bm9uZQ==:' }],
])('a certificate %s logs no user in', async (_, headers) => {
  await using server = await start({ flags: proxied });
  const browser = createBrowser(headers);
  const sent = await browser.submit(await browser.get(authorizeUrl(server)), 'certificate');
  expect(sent).toMatchObject({ status: 400, text: expect.stringContaining('No user can log in with the certificate') });
});

test.each([
  ['without the setting', {}],
  ['from another address', { ...proxied, 'trusted-proxies': '192.0.2.1' }],
])('the header is ignored %s', async (_, flags) => {
  await using server = await start({ flags });
  const headers = { 'client-cert': toField(leaf), 'client-cert-chain': toField(issuing) };
  const browser = createBrowser(headers);
  const page = await browser.get(authorizeUrl(server));
  expect(page.text).not.toContain(offer);
  const forged = { ...page, text: page.text.replace('value="forgot"', 'value="certificate"') };
  expect((await browser.submit(forged, 'certificate')).status).toBe(400);
});

test('over TLS the browser sends it, and need not', async () => {
  const tls = makeCertificate();
  await using server = await start({ tls, flags: { 'login-certificates': 'tls' } });
  const privateKey = leaf.privateKey.export({ type: 'pkcs8', format: 'pem' });
  const own = { cert: `${leaf.pem}${issuing.pem}`, key: privateKey };
  const send = (path: string, options: RequestOptions = {}, body = '') =>
    new Promise<{ status?: number | undefined; headers: IncomingMessage['headers']; text: string }>(
      (resolve, reject) => {
        request(`${server.url}${path}`, { ca: tls.cert, agent: false, ...options }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
        })
          .on('error', reject)
          .end(body);
      },
    );
  const query = new URLSearchParams(createRequest());
  expect((await send(`/oauth2/authorize?${query}`)).text).not.toContain(offer);
  const page = await send(`/oauth2/authorize?${query}`, own);
  expect(page.text).toContain(offer);
  const [cookie = ''] = page.headers['set-cookie']?.[0]?.split(';') ?? [];
  const [, token = ''] = /name="form_token" value="([^"]*)"/.exec(page.text) ?? [];
  const form = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
  const sendForm = (headers: Record<string, string>) =>
    send(
      `/oauth2/login?${query}`,
      { ...own, method: 'POST', headers },
      `${new URLSearchParams({ step: 'certificate', form_token: token })}`,
    );
  // Through a proxy, the connection has the certificate of the proxy.
  expect((await sendForm({ ...form, 'x-forwarded-for': '192.0.2.7' })).status).toBe(400);
  expect(await sendForm(form)).toMatchObject({ status: 303, headers: { location: expect.stringContaining('code=') } });
});

/**
 * Apache with mod_auth_openidc as a resource server, with the key set and by introspection, and as an application that users log
 * in to. Skipped without it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { createBrowser, type Page } from '../../server/oauth/browser.ts';
import { makeCertificate } from '../../server/start/certificate.ts';
import { Sandbox } from '../cli-process.ts';
import { makeRunner } from '../runner.ts';
import { findFreePort, forgeClaims, getStatus } from './proxies.ts';

const modules = '/usr/lib/apache2/modules';
const hasApache = existsSync(`${modules}/mod_auth_openidc.so`) && spawnSync('apache2', ['-v']).status === 0;
const certificate = makeCertificate();

/** Sends a form to the server, whose certificate Node's fetch cannot be given. */
function post(url: string, auth: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', auth, headers, ca: certificate.cert }, (response) =>
      text(response).then(resolve, reject),
    );
    outgoing.on('error', reject).end(body);
  });
}

interface Site {
  readonly port: number;
  readonly settings: string;
}

/** The module requires https URLs; it cannot be given a certificate authority. */
const renderSite = ({ port, settings }: Site, issuer: string, folder: string) => `
Listen 127.0.0.1:${port}
<VirtualHost 127.0.0.1:${port}>
  DocumentRoot ${folder}/www
  OIDCOAuthSSLValidateServer Off
  OIDCOAuthRemoteUserClaim sub
  ${settings}
  DirectoryIndex index.html
  <Location />
    AuthType oauth20
    Require claim iss:${issuer}
  </Location>
</VirtualHost>
`;

const renderConfig = (folder: string, sites: string) => `
ServerRoot ${folder}
ServerName localhost
PidFile ${folder}/apache.pid
ErrorLog ${folder}/apache.log
Mutex file:${folder} default
LoadModule mpm_event_module ${modules}/mod_mpm_event.so
LoadModule authn_core_module ${modules}/mod_authn_core.so
LoadModule authz_core_module ${modules}/mod_authz_core.so
LoadModule authz_user_module ${modules}/mod_authz_user.so
LoadModule dir_module ${modules}/mod_dir.so
LoadModule auth_openidc_module ${modules}/mod_auth_openidc.so
${sites}`;

test('mod_auth_openidc accepts tokens of the server, and rejects forged and revoked ones', async (context) => {
  context.skip(!hasApache, 'there is no apache2 with mod_auth_openidc here');
  await using sandbox = await Sandbox.make();
  const { folder } = sandbox;
  // Apache may serve with another user than that of the tests.
  await chmod(folder, 0o755);
  await mkdir(sandbox.file('www'));
  await writeFile(sandbox.file('www/index.html'), 'ok');
  await writeFile(sandbox.file('cert.pem'), certificate.cert);
  await writeFile(sandbox.file('key.pem'), certificate.key);
  const tls = ['--tls-cert', sandbox.file('cert.pem'), '--tls-key', sandbox.file('key.pem')];
  const { url, variables } = await sandbox.serve(['--store', 'memory', ...tls]);
  const { IAM_CLIENT_ID: id = '', IAM_CLIENT_SECRET: secret = '' } = variables;

  const keySet: Site = {
    port: await findFreePort(),
    settings: `OIDCOAuthVerifyJwksUri ${url}/.well-known/jwks.json`,
  };
  const introspection: Site = {
    port: await findFreePort(),
    settings: `OIDCOAuthIntrospectionEndpoint ${url}/oauth2/introspect
  OIDCOAuthIntrospectionEndpointAuth client_secret_basic
  OIDCOAuthTokenIntrospectionInterval -1
  OIDCOAuthClientID ${id}
  OIDCOAuthClientSecret ${secret}`,
  };
  const sites = [keySet, introspection];
  const config = renderConfig(folder, sites.map((site) => renderSite(site, url, folder)).join(''));
  await writeFile(sandbox.file('apache.conf'), config);
  const apache = sandbox.start('apache2', ['-D', 'FOREGROUND', '-f', sandbox.file('apache.conf')]);
  try {
    const statusesOf = (token?: string) =>
      Promise.all(sites.map(({ port }) => getStatus(`http://127.0.0.1:${port}/`, token)));
    await vi.waitFor(async () => expect(await statusesOf()).toEqual([401, 401]), { timeout: 15_000 });

    const response = await post(
      `${url}/security/iam/v1/client-identities/connect/token`,
      `${id}:${secret}`,
      'grant_type=client_credentials',
    );
    const { access_token: token } = JSON.parse(response) as { access_token: string };
    expect(await statusesOf(token)).toEqual([200, 200]);
    const forged = forgeClaims(token, { iss: url, sub: 'admin', exp: 9_999_999_999 });
    expect(await statusesOf(forged)).toEqual([401, 401]);
    await post(`${url}/oauth2/revoke`, `${id}:${secret}`, `token=${token}`);
    // A key set does not know revoked tokens.
    expect(await statusesOf(token)).toEqual([200, 401]);
  } finally {
    // Its processes end only with SIGTERM to the first one.
    apache.child.kill('SIGTERM');
    await apache.done;
  }
});

const user = { userName: 'ada', password: 'demo-only+password & more%' };

/** Only the claims of the user let a request pass. */
const renderLoginSite = (port: number, issuer: string, folder: string) => `
Listen 127.0.0.1:${port}
<VirtualHost 127.0.0.1:${port}>
  DocumentRoot ${folder}/www
  OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
  OIDCClientID apache
  OIDCClientSecret only-for-these-tests-0123456789
  OIDCRedirectURI http://127.0.0.1:${port}/callback
  OIDCCryptoPassphrase of-a-test
  OIDCPKCEMethod S256
  OIDCScope "openid email"
  <Location />
    AuthType openid-connect
    # Node sends Sec-Fetch-Mode: cors, which the module takes for a script.
    OIDCUnAuthAction auth true
    <RequireAll>
      Require claim sub:ada-id
      Require claim email:ada@example.com
    </RequireAll>
  </Location>
</VirtualHost>
`;

test('mod_auth_openidc logs a user in and out', async (context) => {
  context.skip(!hasApache, 'there is no apache2 with mod_auth_openidc here');
  await using runner = await makeRunner();
  const { folder } = runner;
  await chmod(folder, 0o755);
  await mkdir(runner.file('www'));
  await writeFile(runner.file('www/index.html'), 'ok');
  const client = {
    ...{ clientId: 'apache', appId: 'Intranet', clientSecret: 'only-for-these-tests-0123456789' },
    ...{ grantTypes: ['authorization_code'], redirectURI: 'http://127.0.0.1/callback' },
    postLogoutRedirectURIs: ['http://127.0.0.1/'],
  };
  const seed = { users: [{ userId: 'ada-id', ...user, userEmail: 'ada@example.com' }], clients: [client] };
  await writeFile(runner.file('seed.json'), JSON.stringify(seed));
  const { url } = await runner.serve(['--store', 'memory', '--seed', runner.file('seed.json')]);
  const port = await findFreePort();
  await writeFile(runner.file('apache.conf'), renderConfig(folder, renderLoginSite(port, url, folder)));
  const apache = runner.start('apache2', ['-D', 'FOREGROUND', '-f', runner.file('apache.conf')]);
  const browser = createBrowser();
  const follow = async (page: Page): Promise<Page> =>
    page.location === undefined ? page : follow(await browser.get(new URL(page.location, page.url).href));
  const open = async () => follow(await browser.get(`http://127.0.0.1:${port}/`));
  try {
    const page = await vi.waitFor(open, { timeout: 15_000 });
    expect(page.text).toContain('to continue to Intranet');
    const done = await browser.submit(page, 'password', { user_name: user.userName, password: user.password });
    expect(await follow(done)).toMatchObject({ url: `http://127.0.0.1:${port}/`, status: 200, text: 'ok' });
    const goodbye = encodeURIComponent(`http://127.0.0.1:${port}/`);
    const left = await follow(await browser.get(`http://127.0.0.1:${port}/callback?logout=${goodbye}`));
    expect(left.text).toContain('to continue to Intranet');
  } finally {
    apache.child.kill('SIGTERM');
    await apache.done;
  }
});

/** Secrets that the server receives or issues never appear in its log, at any level. */
import { expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { readSettings } from '../../../src/server/config/settings.ts';
import { createLog } from '../../../src/server/lib/log.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { listen } from '../../../src/server/listen.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import { createFakeClock } from '../../harness.ts';
import { buildHead, exchange } from './raw-http.ts';

const canaries = {
  adminSecret: 'canary-admin-secret',
  adminPassword: 'canary-root-password',
  clientSecret: 'canary:client-secret',
  password: 'canary-user-password',
  apiKey: 'canary+apiKey+canary+apiKey+canary+apiKey+c=',
  wrong: 'canary-wrong-secret',
};

test('no credential appears in the log at level debug, whatever happens to it', async () => {
  const lines: string[] = [];
  const clock = createFakeClock();
  const environment = {
    IAM_ADMIN_CLIENT_ID: 'root',
    IAM_ADMIN_CLIENT_SECRET: canaries.adminSecret,
    IAM_ADMIN_PASSWORD: canaries.adminPassword,
  };
  const service = await listen({
    settings: readSettings({ port: '0', store: 'memory', 'log-level': 'debug' }, environment),
    clock,
    random: systemRandom,
    log: createLog(
      'debug',
      (line) => lines.push(line),
      () => clock.now(),
    ),
    seed: {
      clients: [{ clientId: 'c1', clientSecret: canaries.clientSecret, authorities: ['AUTH-BASIC', 'ADMIN'] }],
      users: [{ userId: 'u1', password: canaries.password }],
      apiKeys: [{ appId: 'a', clientId: 'c1', apiKey: canaries.apiKey }],
    },
    openStore: async () => openMemoryStore(),
  });
  const issued: string[] = [];
  const sendRequest = async (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) => {
    const response = await fetch(service.url + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return (await response.json().catch(() => ({}))) as Record<string, string>;
  };
  const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });
  const [login, groups, keys] = ['/client-identities/login', '/groups', '/api-key'].map(
    (path) => servicePrefix + path,
  ) as [string, string, string];

  const admin = basic('root', canaries.adminSecret);
  const { accessToken = '' } = await sendRequest('POST', login, basic('c1', canaries.clientSecret));
  const bearer = { authorization: `Bearer ${accessToken}` };
  const created = await sendRequest('POST', `${servicePrefix}/client-identities`, admin, { appId: 'a' });
  const key = await sendRequest('POST', keys, admin, { appId: 'a', clientId: 'c1' });
  issued.push(accessToken, accessToken.split('.')[2] ?? '', created.clientSecret ?? '', key.apiKey ?? '');
  expect(issued.every((secret) => secret.length > 20)).toBe(true);

  await sendRequest('GET', groups, bearer);
  await sendRequest('GET', groups, { 'x-api-key': canaries.apiKey });
  await sendRequest('GET', `${groups}?access_token=${accessToken}&clientSecret=${canaries.wrong}`);
  await sendRequest('GET', `${groups}/${canaries.wrong}`, admin);
  for (let guess = 0; guess < 12; guess += 1) await sendRequest('POST', login, basic('c1', canaries.wrong));
  await sendRequest('GET', groups, { authorization: `Bearer ${accessToken}${canaries.wrong}` });
  await sendRequest('GET', groups, { ...bearer, 'x-api-key': canaries.apiKey });
  await sendRequest('POST', keys, admin, { appId: 'a', clientId: 'c1', apiKey: canaries.wrong, [canaries.wrong]: 1 });
  await sendRequest('POST', keys, admin, `{"apiKey":"${canaries.wrong}"`);
  await sendRequest('PUT', `${keys}/${canaries.wrong}`, admin, { secret: canaries.wrong });
  const users = `${servicePrefix}/user-identities`;
  const reset = { username: 'u1', validationCode: canaries.wrong, newPassword: canaries.wrong };
  await sendRequest('POST', `${users}/retrieve-identity`, admin, { userName: canaries.wrong });
  await sendRequest('POST', `${users}/reset-password`, admin, reset);
  await sendRequest('POST', `${users}/me/change-password`, admin, {
    password: canaries.password,
    newPassword: canaries.wrong,
  });
  await exchange(service, `${canaries.wrong}\r\n\r\n`);
  await exchange(service, buildHead(`GET /${canaries.wrong}`, 'Host: localhost'));
  await exchange(service, buildHead(`GET ${groups} HTTP/1.1`, `Host: ${canaries.wrong}/`, 'Connection: close'));
  await service.stop();

  const log = lines.join('');
  expect(lines.length).toBeGreaterThan(20);
  const secrets = [...Object.values(canaries), ...issued];
  const forms = (secret: string) => [
    secret,
    encodeURIComponent(secret),
    btoa(secret),
    Buffer.from(secret).toString('base64url'),
    btoa(`c1:${secret}`),
    btoa(`root:${secret}`),
  ];
  expect(secrets.flatMap(forms).filter((form) => log.includes(form))).toEqual([]);
});

test('the log contains the caller and the outcome of each request', async () => {
  const lines: string[] = [];
  const clock = createFakeClock();
  const service = await listen({
    settings: readSettings(
      { port: '0', store: 'memory' },
      { IAM_ADMIN_CLIENT_ID: 'root', IAM_ADMIN_CLIENT_SECRET: 's' },
    ),
    clock,
    random: systemRandom,
    log: createLog(
      'info',
      (line) => lines.push(line),
      () => clock.now(),
    ),
    openStore: async () => openMemoryStore(),
  });
  const responses: Response[] = [];
  for (const secret of ['s', 'wrong'])
    responses.push(
      await fetch(`${service.url}${servicePrefix}/groups`, {
        headers: { authorization: `Basic ${btoa(`root:${secret}`)}` },
      }),
    );
  await Promise.all(responses.map((response) => response.text()));
  await service.stop();
  const entries = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'request');
  const time = clock.now().toISOString();
  const common = { level: 'info', time, method: 'GET' };
  expect(entries).toMatchObject([
    {
      ...common,
      operation: 'groups.list',
      caller: 'root',
      status: 200,
      requestId: responses[0]?.headers.get('x-request-id'),
    },
    {
      ...common,
      caller: 'anonymous',
      status: 401,
      refusal: 'CREDENTIALS_INVALID',
      requestId: responses[1]?.headers.get('x-request-id'),
    },
  ]);
});

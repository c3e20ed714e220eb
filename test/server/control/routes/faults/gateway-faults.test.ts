/** Faults of gateways and key sets: any status, HTML, bodies that are cut, resets, redirects, and documents that fail. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../../../src/contract/prefix.ts';
import { type FaultPreset, faultPresetNames, faultPresets } from '../../../../../src/contract/testing/fault-effects.ts';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { send } from '../../control-client.ts';

const groups = `${servicePrefix}/groups`;
const jwks = '/.well-known/jwks.json';
const metadata = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];
const asAdmin = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ recordsStatuses: false });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  await send(server, '/_iam/faults', { method: 'DELETE' });
});

async function add(rule: object): Promise<void> {
  expect(await send(server, '/_iam/faults', { method: 'POST', body: rule })).toMatchObject({ status: 201 });
}

async function get(path: string, init: RequestInit = {}) {
  const response = await fetch(server.url + path, { headers: asAdmin, redirect: 'manual', ...init });
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
}

const page = (title: string) => expect.stringContaining(`<h1>${title}</h1>`) as string;

describe('a response', () => {
  test.each([
    [{ status: 502 }, 502, page('502 Bad Gateway')],
    [{ status: 418 }, 418, page("418 I'm a Teapot")],
    [{ status: 599 }, 599, page('599 Error')],
    [{ status: 503, body: 'html' }, 503, page('503 Service Unavailable')],
    [{ status: 503, body: 'empty' }, 503, ''],
    [{ status: 503, body: 'malformed' }, 503, expect.stringMatching(/^\[{"code":"STORE_UNAVAILABLE"[^\]]*$/)],
    [{ body: 'html' }, 200, page('200 OK')],
    [{ redirect: '/login' }, 302, page('302 Found')],
  ])('has the status and the body of %j', async (effect, status, text) => {
    await add({ operation: 'groups.list', effect });
    const response = await get(groups);
    expect(response).toMatchObject({ status, text });
    const isHtml = response.text.startsWith('<');
    expect(response.headers['content-type']).toMatch(isHtml ? 'text/html' : 'application/json');
    expect(response.headers['x-iam-fault']).toMatch(/^f\d+ /);
    expect(response.headers.location).toBe((effect as { redirect?: string }).redirect);
    const { body: entry } = await send(server, `/_iam/requests/${response.headers['x-request-id']}`);
    expect(entry).toMatchObject({ status, fault: response.headers['x-iam-fault'] });
  });

  test.each([
    [{ status: 503, retryAfter: 120 }, '120'],
    [{ status: 503 }, '1'],
    [{ status: 507, retryAfter: 5 }, '5'],
    [{ status: 507 }, undefined],
  ])('has the Retry-After of %j', async (effect, expected) => {
    await add({ effect });
    expect((await get(groups)).headers['retry-after']).toBe(expected);
  });

  test('is cut off, and the change is stored', async () => {
    await add({ operation: 'groups.create', times: 1, effect: { body: 'cut' } });
    const headers = { ...asAdmin, 'Content-Type': 'application/json' };
    const make = () => get(groups, { method: 'POST', headers, body: '{"groupName":"cut-off"}' });
    await expect(make()).rejects.toThrow();
    expect(await make()).toMatchObject({ status: 412 });
  });

  test('is a reset of the connection', async () => {
    await add({ effect: { drop: 'reset' } });
    await expect(get(groups)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  });
});

describe('documents', () => {
  test.each([
    [jwks, 'jwks'],
    [metadata[0] as string, 'discovery'],
    [metadata[1] as string, 'discovery'],
  ])('%s fails, and is malformed, without an effect on other requests', async (path, target) => {
    const { text } = await get(path);
    await add({ target, nth: 1, effect: { status: 503, retryAfter: 2 } });
    await add({ target, nth: 2, effect: { body: 'malformed' } });
    await add({ target, nth: 3, effect: { drop: 'before' } });
    await add({ target, nth: 4, effect: { body: 'cut' } });
    const failed = await get(path);
    expect(failed).toMatchObject({ status: 503, text: page('503 Service Unavailable') });
    expect(failed.headers).toMatchObject({ 'retry-after': '2', 'cache-control': 'no-store' });
    expect(await get(path)).toMatchObject({ status: 200, text: text.slice(0, text.length / 2) });
    await expect(get(path)).rejects.toThrow();
    await expect(get(path)).rejects.toThrow();
    expect(await get(path)).toMatchObject({ status: 200, text });
    expect((await get(groups)).headers['x-iam-fault']).toBeUndefined();
  });

  test('the key set is slow, and has every key but the one that signs', async () => {
    await server.appContext.keys.rotate();
    const kids = async () =>
      (JSON.parse((await get(jwks)).text) as { keys: { kid: string }[] }).keys.map((key) => key.kid);
    const all = await kids();
    await add({ target: 'jwks', effect: { latency: '20ms' } });
    await add({ effect: { missingKey: true } });
    const before = performance.now();
    expect(await kids()).toEqual(all.filter((kid) => kid !== server.appContext.keys.current().kid));
    expect(performance.now() - before).toBeGreaterThan(15);
  });
});

describe('presets', () => {
  test.each(faultPresetNames)('%s is a rule', async (preset) => {
    await add({ preset });
    const [rule] = (await send(server, '/_iam/faults')).body as object[];
    const { rule: expected } = faultPresets[preset];
    const effect = 'latency' in expected.effect ? { latency: '10000ms' } : expected.effect;
    expect(rule).toMatchObject({ ...expected, effect, matched: 0 });
  });

  test('fail the next login of a user, and no other request', async () => {
    await add({ preset: 'next-login-fails' satisfies FaultPreset });
    const login = `${servicePrefix}/user-identities/login?clientId=${adminClient.clientId}`;
    const post = () =>
      send(server, login, { method: 'POST', headers: { Authorization: `Basic ${btoa('ann:wrong')}` } });
    expect((await get(groups)).status).toBe(200);
    expect((await post()).headers['x-iam-fault']).toMatch(/status=401$/);
    expect((await post()).headers['x-iam-fault']).toBeUndefined();
  });

  test('select requests in addition: another operation replaces the target', async () => {
    await add({ preset: 'next-login-fails', operation: 'groups.list', times: 2 });
    const statuses = [await get(groups), await get(groups), await get(groups)].map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 200]);
  });
});

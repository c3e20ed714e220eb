import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../../../src/contract/operation.ts';
import { consoleRequester, controlPrefix, servicePrefix } from '../../../../../src/contract/prefix.ts';
import { controlRoutes } from '../../../../../src/server/control/routes/index.ts';
import { operations } from '../../../../../src/server/operations/index.ts';
import { openMemoryStore } from '../../../../../src/server/store/memory/memory-store.ts';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { createMemorySink } from '../../../audit/memory-sink.ts';
import { send } from '../../control-client.ts';

const header = { 'X-Requested-With': consoleRequester };
const groups = `${servicePrefix}/groups`;
const asAdmin = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };

type Service = Pick<TestServer, 'url'>;

/** The headers of the console: its own, and a token that the server issued to it. */
async function signIn(
  server: Service,
  headers: Readonly<Record<string, string>> = header,
  clientId = adminClient.clientId,
) {
  const { body } = await send(server, '/_iam/sessions', { method: 'POST', headers, body: { clientId } });
  return { ...header, Authorization: `Bearer ${(body as { readonly accessToken: string }).accessToken}` };
}

interface Item {
  readonly operation?: string;
  readonly status?: number;
  readonly byConsole?: boolean;
}

async function list(server: Service, query = '') {
  const items = (await send(server, `/_iam/requests${query}`)).body as Item[];
  return items.map(({ operation, status, byConsole }) => [operation, status, byConsole]);
}

/** Everything that a CI gate measures. */
async function measure(server: Service): Promise<unknown> {
  const [coverage, metrics, series] = await Promise.all(
    ['/_iam/coverage', '/metrics', '/_iam/metrics/series'].map((path) => send(server, path)),
  );
  const durations = String(metrics?.body).match(/^http_server_request_duration.*$/gm);
  return [coverage?.body, durations, series?.body];
}

describe('requests of the console', () => {
  test('whatever its pages read, coverage and metrics remain unchanged', async () => {
    await using server = await startServer({ recordsStatuses: false });
    await send(server, groups, { headers: asAdmin });
    const before = await measure(server);
    const headers = await signIn(server);
    const reads = (list: readonly Operation<never>[], prefix: string) =>
      list
        .filter(
          ({ audit, response }) => audit.kind === 'read' && !('stream' in response) && !('alternatives' in response),
        )
        .map(({ method, path }) => ({ method, path: prefix + path.replaceAll(/\{\w+\}/g, 'x') }))
        // A wait would last, and the document takes a second to build.
        .filter(({ path }) => !/\/(wait|openapi\.json)$/.test(path));
    const all = [
      ...reads(Object.values(operations), servicePrefix),
      ...reads(controlRoutes as readonly Operation<never>[], controlPrefix),
    ];
    expect(all.length).toBeGreaterThan(40);
    for (const { method, path } of all)
      await send(server, path, { method, headers, ...(method === 'POST' ? { body: {} } : {}) });
    for (const path of ['/', '/_iam/console/']) await send(server, path, { headers: { Accept: 'text/html' } });
    await send(server, '/', { headers: header });
    expect(await measure(server)).toEqual(before);
    expect(await list(server)).toEqual([['groups.list', 200, undefined]]);
  });

  test('its reads are in a log of their own, and its writes are counted and marked', async () => {
    await using server = await startServer({ flags: { 'request-log-size': '2' } });
    const headers = await signIn(server);
    await send(server, groups, { headers: asAdmin });
    await send(server, groups, { method: 'POST', headers, body: { groupName: 'ops' } });
    for (let sent = 0; sent < 3; sent += 1) await send(server, `${groups}/ops`, { headers });
    const counted = [
      ['groups.create', 201, true],
      ['groups.list', 200, undefined],
    ];
    expect(await list(server)).toEqual(counted);
    expect(await list(server, '?console=false')).toEqual(counted);
    const read = ['groups.get', 200, true];
    expect(await list(server, '?console=true')).toEqual([read, read, ...counted]);
    const [{ id } = { id: '' }] = (await send(server, '/_iam/requests?console=true&limit=1')).body as { id: string }[];
    expect(await send(server, `/_iam/requests/${id}/why`)).toMatchObject({ status: 200 });
    await send(server, '/_iam/state/reset', { method: 'POST', body: { to: 'empty' } });
    expect(await list(server, '?console=true')).toEqual([]);
  });

  test('its changes are marked in the audit log: those of the control plane, where it needs no credentials, by the header', async () => {
    await using server = await startServer();
    const [headers, body] = [await signIn(server), { groupName: 'ops' }];
    await send(server, groups, { method: 'POST', headers, body });
    await send(server, `${groups}/ops`, { method: 'DELETE', headers: { ...header, ...asAdmin } });
    for (const one of [header, {}])
      await send(server, '/_iam/clock', { method: 'PUT', headers: one, body: { advance: '1s' } });
    const events = (await send(server, '/_iam/audit?changed=true')).body as Item[];
    expect(events.map(({ operation, byConsole }) => [operation, byConsole])).toEqual([
      ['control.set-clock', undefined],
      ['control.set-clock', true],
      ['groups.remove', undefined],
      ['groups.create', true],
    ]);
  });

  test('the header with other credentials, and the token without the header, are counted', async () => {
    await using server = await startServer();
    const headers = await signIn(server);
    const ofProgram = await signIn(server, {});
    const stranger = await server.makeClient();
    const ofStranger = await signIn(server, header, stranger.clientId);
    const { Authorization: token } = headers;
    const [head, payload] = token.split('.');
    const other = JSON.parse(Buffer.from(String(payload), 'base64url').toString()) as { jti: string };
    other.jti = '00000000-0000-4000-8000-000000000000';
    const forged = `${head}.${Buffer.from(JSON.stringify(other)).toString('base64url')}.x`;
    const counted: Readonly<Record<string, string>>[] = [
      { ...header, ...asAdmin },
      header,
      ofProgram,
      ofStranger,
      { Authorization: token },
      { ...headers, 'X-Requested-With': 'XMLHttpRequest' },
      { ...header, Authorization: forged },
      { ...header, Authorization: 'Bearer x.bm8.y' },
    ];
    for (const one of counted) await send(server, groups, { headers: one });
    expect(await list(server)).toHaveLength(counted.length);
    expect((await list(server)).map(([, , byConsole]) => byConsole)).toEqual(counted.map(() => undefined));
  });

  test('a read with an expired token is a read of the console', async () => {
    await using server = await startServer();
    const headers = await signIn(server);
    await send(server, '/_iam/clock', { method: 'PUT', body: { advance: '30d' } });
    expect((await send(server, groups, { headers })).status).toBe(401);
    expect([await list(server), await list(server, '?console=true')]).toEqual([[], [['groups.list', 401, true]]]);
  });

  test('another server of the store, as after a restart, recognizes it, also after a login with a secret', async () => {
    const store = openMemoryStore();
    const open = { openStore: async () => store, flags: { issuer: 'https://iam.example.com' } };
    const first = await startServer(open);
    const tokens = [await signIn(first)];
    const login = `${servicePrefix}/client-identities/login`;
    const { body } = await send(first, login, { method: 'POST', headers: { ...header, ...asAdmin } });
    tokens.push({ ...header, Authorization: `Bearer ${(body as { readonly accessToken: string }).accessToken}` });
    await using second = await startServer(open);
    for (const headers of tokens) expect((await send(second, groups, { headers })).status).toBe(200);
    expect([await list(second), await list(second, '?console=true')]).toEqual([
      [],
      [
        ['groups.list', 200, true],
        ['groups.list', 200, true],
      ],
    ]);
    await first[Symbol.asyncDispose]();
  });

  test('a sandbox knows only its own console', async () => {
    await using server = await startServer();
    const sandbox = { url: `${server.url}/s/one` };
    await send(sandbox, '/_iam/clock');
    expect((await send(sandbox, groups, { headers: await signIn(sandbox) })).status).toBe(200);
    expect(await list(sandbox)).toEqual([]);
    await send(sandbox, groups, { headers: await signIn(server) });
    expect(await list(sandbox)).toEqual([['groups.list', 401, undefined]]);
  });

  test('its reads are in the log and in the audit log, and use up no fault rule', async () => {
    const audit = createMemorySink();
    await using server = await startServer({ audit });
    const headers = await signIn(server);
    const fault = { operation: 'groups.list', times: 1, effect: { status: 503 } };
    await send(server, '/_iam/faults', { method: 'POST', body: fault });
    const read = await send(server, groups, { headers });
    expect(read.status).toBe(200);
    expect(server.log.join('')).toContain(String(read.headers['x-request-id']));
    const refused = await send(server, groups, { headers: { ...headers, Authorization: `${headers.Authorization}x` } });
    expect(audit.last()).toMatchObject({ requestId: refused.headers['x-request-id'] });
    expect((await send(server, groups, { headers: asAdmin })).status).toBe(503);
  });
});

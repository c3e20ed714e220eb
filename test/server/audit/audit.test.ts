/** Which requests the audit log records, and with which fields. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { operations } from '../../../src/server/operations/index.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { createMemorySink } from './memory-sink.ts';

const password = 'correct horse battery';
const basic = (id: string, secret: string) => ({ Authorization: `Basic ${btoa(`${id}:${secret}`)}` });
const asAdmin = basic(adminClient.clientId, adminClient.clientSecret);
const loginPath = `${servicePrefix}/user-identities/login?clientId=${appClientId}`;

const audit = createMemorySink();
let server: TestServer;

beforeAll(async () => {
  const users = [{ userId: 'ann', userEmail: 'ann@example.com', password }];
  server = await startServer({ seed: { users }, audit });
});
afterAll(() => server[Symbol.asyncDispose]());

async function login(headers: Record<string, string>) {
  return send(server, loginPath, { method: 'POST', headers });
}

describe('an authentication event', () => {
  test('contains the user, the session and the client of a new token', async () => {
    const { headers, status } = await login(basic('ann', password));
    expect(status).toBe(201);
    const [session] = await server.appContext.store.sessions.list();
    expect(audit.last()).toEqual({
      sequence: 1,
      time: '2026-03-01T12:00:00.000Z',
      event: 'authentication',
      requestId: headers['x-request-id'],
      operation: 'user-identities.login',
      ...{ result: 'granted', status: 201 },
      actor: { kind: 'client', name: 'iam-app', clientId: appClientId, authMethod: 'client-id' },
      subject: { kind: 'user', userId: 'ann', clientId: appClientId, sessionId: session?.sessionId },
      objects: [{ entity: 'user', id: 'ann' }],
      rule: operations['user-identities.login'].rolesText,
      remoteAddress: expect.stringMatching(/127\.0\.0\.1$/),
    });
    await server.admin.clientIdentities.login();
    expect(audit.last()).toMatchObject({
      ...{ operation: 'client-identities.login', event: 'authentication', result: 'granted' },
      subject: { kind: 'client', clientId: adminClient.clientId },
    });
  });

  test('contains the user of a wrong password, and none for an unknown user', async () => {
    await login(basic('ann', 'wrong horse battery staple'));
    expect(audit.last()).toMatchObject({
      ...{ event: 'authentication', result: 'refused', status: 401, code: 'CREDENTIALS_INVALID' },
      subject: { userId: 'ann' },
      reason: expect.any(String),
    });
    await login(basic('unknown-login-name', 'wrong horse battery staple'));
    const { subject, ...rest } = audit.last();
    expect([subject, rest]).toEqual([undefined, expect.objectContaining({ result: 'refused', status: 401 })]);
    expect(audit.text()).not.toContain('unknown-login-name');
  });

  test('records a rejected credential on every request, reads included', async () => {
    for (const [headers, code] of [
      [basic(adminClient.clientId, 'wrong'), 'CREDENTIALS_INVALID'],
      [{ Authorization: 'Bearer x.y.z' }, 'TOKEN_INVALID'],
      [{ 'X-Api-Key': 'x' }, 'CREDENTIALS_INVALID'],
      [{}, 'CREDENTIALS_MISSING'],
    ] as const) {
      await send(server, `${servicePrefix}/groups`, { headers });
      expect(audit.last()).toMatchObject({
        event: 'authentication',
        operation: 'groups.list',
        result: 'refused',
        code,
      });
    }
  });

  test('records a throttled login', async () => {
    for (let tries = 0; tries < 11; tries += 1) await login(basic('unknown', 'wrong horse battery staple'));
    expect(audit.last()).toMatchObject({ event: 'authentication', code: 'TOO_MANY_ATTEMPTS', result: 'refused' });
  });

  test('contains the address of the connection, whatever a header contains', async () => {
    const forwarded = { 'X-Forwarded-For': '203.0.113.7', Forwarded: 'for=203.0.113.7', 'X-Real-IP': '203.0.113.7' };
    await login({ ...basic('ann', password), ...forwarded });
    expect(audit.text()).not.toContain('203.0.113.7');
  });

  test('records a logout and an ended session', async () => {
    const { body } = await login(basic('ann', password));
    const { accessToken } = body as { accessToken: string };
    await send(server, '/_iam/revoke', { method: 'POST', body: { token: accessToken } });
    expect(audit.last()).toMatchObject({ event: 'authentication', operation: 'control.revoke', result: 'granted' });
    await send(server, '/_iam/sessions?userId=ann', { method: 'DELETE' });
    expect(audit.last()).toMatchObject({ event: 'administration', operation: 'control.end-sessions' });
    expect(audit.text()).not.toContain(accessToken);
  });
});

describe('a change', () => {
  test('contains the actor, the target, and the rule that authorized it', async () => {
    const body = { groupName: 'audited', roles: ['VIEW'] };
    await send(server, `${servicePrefix}/groups`, { method: 'POST', headers: asAdmin, body });
    const group = await server.appContext.store.groups.getBy('groupName', 'audited');
    expect(audit.last()).toMatchObject({
      ...{ event: 'administration', operation: 'groups.create', result: 'granted', status: 201 },
      actor: { kind: 'client', clientId: adminClient.clientId, authMethod: 'basic' },
      targets: { groupId: group?.groupId, groupName: 'audited', roles: ['VIEW'] },
      rule: operations['groups.create'].rolesText,
    });
    await send(server, `${servicePrefix}/groups/audited`, { method: 'DELETE', headers: asAdmin });
    expect(audit.last()).toMatchObject({ operation: 'groups.remove', targets: { groupId: 'audited' } });
  });

  test('that is rejected contains the missing role; so does a read', async () => {
    const client = await server.makeClient();
    const headers = basic(client.clientId, client.clientSecret);
    for (const method of ['POST', 'GET']) {
      const { length } = audit.events();
      await send(server, `${servicePrefix}/groups`, { method, headers, body: { groupName: 'x' } });
      // Recorded after the response.
      await expect.poll(() => audit.events()).toHaveLength(length + 1);
      expect(audit.last()).toMatchObject({
        ...{ event: 'administration', result: 'refused', status: 403, code: 'ROLE_MISSING' },
        actor: { clientId: client.clientId },
        reason: expect.stringContaining('The caller lacks'),
      });
    }
    const before = audit.events().length;
    await send(server, `${servicePrefix}/groups`, { headers: asAdmin });
    expect(audit.events()).toHaveLength(before);
  });

  test('through the control plane contains the rule that allowed it', async () => {
    await send(server, '/_iam/keys/rotate', { method: 'POST' });
    expect(audit.last()).toMatchObject({
      ...{ event: 'administration', operation: 'control.keys-rotate', result: 'granted' },
      ...{ actor: { kind: 'anonymous' }, rule: 'a program or page of this machine' },
    });
    await send(server, '/_iam/keys/rotate', { method: 'POST', headers: { Origin: 'https://evil.example' } });
    expect(audit.last()).toMatchObject({ result: 'refused', code: 'ORIGIN_FOREIGN' });
  });

  test('that the store rejects is recorded as failed', async () => {
    const other = createMemorySink();
    await using full = await startServer({ audit: other });
    full.stopWrites();
    await send(full, `${servicePrefix}/groups`, { method: 'POST', headers: asAdmin, body: { groupName: 'x' } });
    expect(other.last()).toMatchObject({ result: 'failed', status: 503, code: 'STORE_UNAVAILABLE' });
  });
});

test.each([
  ['a page instead of the operation', { status: 507, body: 'html' }, 'failed'],
  ['a connection that is closed before it', { drop: 'before' }, 'failed'],
  ['a connection that is closed after it', { drop: 'after' }, 'granted'],
])('%s is recorded by what took effect', async (name, effect, result) => {
  const sink = createMemorySink();
  await using faulty = await startServer({ audit: sink });
  const rule = { operation: 'groups.create', effect };
  expect(await send(faulty, '/_iam/faults', { method: 'POST', body: rule })).toMatchObject({ status: 201 });
  const group = { method: 'POST', headers: asAdmin, body: { groupName: name } };
  await send(faulty, `${servicePrefix}/groups`, group).catch(() => undefined);
  expect(sink.last()).toMatchObject({ operation: 'groups.create', result });
});

test('names cannot start a new line or contain terminal control characters', async () => {
  const before = audit.events().length;
  const groupName = 'x\r\n{"event":"administration"}\u001b[2J\u2028\u0085\u009b31m';
  const client = await server.makeClient();
  const headers = basic(client.clientId, client.clientSecret);
  await send(server, `${servicePrefix}/groups`, { method: 'POST', headers, body: { groupName } });
  await send(server, `${servicePrefix}/groups/${encodeURIComponent(groupName)}`, { method: 'DELETE', headers });
  expect(audit.events()).toHaveLength(before + 2);
  expect(audit.last().targets).toEqual({ groupId: groupName });
  // The only control characters are line ends.
  expect(audit.text().replaceAll('\n', '')).toMatch(/^[^\p{Cc}\u2028\u2029]*$/u);
});

test('lines of a sandbox contain its name and are written once; others contain none', async () => {
  const before = audit.events().length;
  const change = (at: string) =>
    send(server, `${at}${servicePrefix}/groups`, { method: 'POST', headers: asAdmin, body: { groupName: 'where' } });
  expect(await change('/s/one')).toMatchObject({ status: 201 });
  await send(server, '/s/one/_iam/keys/rotate', { method: 'POST' });
  await send(server, `/s/two${loginPath}`, { method: 'POST', headers: basic('ann', 'not her password') });
  expect(await change('')).toMatchObject({ status: 201 });
  const [inOne, rotated, inTwo, outside, ...more] = audit.events().slice(before);
  expect(inOne).toMatchObject({
    sandbox: 'one',
    operation: 'groups.create',
    result: 'granted',
    actor: { authMethod: 'basic' },
  });
  expect(inOne?.remoteAddress).toMatch(/127\.0\.0\.1$/);
  expect(rotated).toMatchObject({
    sandbox: 'one',
    operation: 'control.keys-rotate',
    rule: expect.stringContaining('this'),
  });
  expect(inTwo).toMatchObject({ sandbox: 'two', result: 'refused', subject: { userId: 'ann' } });
  expect(outside).toMatchObject({ operation: 'groups.create', result: 'granted' });
  expect(outside).not.toHaveProperty('sandbox');
  expect(more).toEqual([]);
});

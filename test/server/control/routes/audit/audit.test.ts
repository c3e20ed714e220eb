/** The audit events that the control plane lists and streams. */
import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { createAuditTrail } from '../../../../../src/server/audit/trail.ts';
import type { AuditItem } from '../../../../../src/server/control/audit-items.ts';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { createMemorySink } from '../../../audit/memory-sink.ts';
import { readNextPath, send } from '../../control-client.ts';
import { openStream } from '../inbox/sse-client.ts';

type Item = z.output<typeof AuditItem>;

const path = '/_iam/audit';
const seed = {
  users: [{ userId: 'ann', userName: 'ann', userEmail: 'ann@example.com' }],
  clients: [{ clientId: 'billing', serviceAccountId: 'billing-service' }],
};

async function list(server: Pick<TestServer, 'url'>, query = ''): Promise<Item[]> {
  return (await send(server, `${path}${query}`)).body as Item[];
}

const identify = (items: readonly Item[]) => items.map(({ operation, result }) => `${operation} ${result}`);

describe('the list of audit events', () => {
  test('names the caller, the object, the request and the values before and after', async () => {
    await using server = await startServer({ seed });
    const { groupId } = await server.admin.groups.create({ body: { groupName: 'ops', roles: ['VIEW'] } });
    await server.admin.groups.addRole({ params: { groupId }, body: { roleName: 'DEPLOY' } });
    const [added, created] = await list(server, '?event=administration');
    expect(added).toMatchObject({
      ...{ operation: 'groups.add-role', result: 'granted', remoteAddress: expect.stringContaining('127.0.0.1') },
      actor: { kind: 'client', clientId: adminClient.clientId, name: 'iam-admin' },
      objects: [{ entity: 'group', id: groupId, name: 'ops' }],
      changes: [
        {
          ...{ entity: 'group', id: groupId, name: 'ops', action: 'changed' },
          fields: [{ field: 'roles', before: ['VIEW'], after: ['VIEW', 'DEPLOY'] }],
        },
      ],
    });
    expect(created?.changes?.[0]).toMatchObject({ action: 'created', fields: expect.any(Array) });
    expect(added?.sequence).toBeGreaterThan(created?.sequence ?? 0);
    expect(added?.requestId).not.toBe(created?.requestId);
  });

  test('finds memberships by the group and by the member, also a service by the id of its client', async () => {
    await using server = await startServer({ seed });
    const { groupId } = await server.admin.groups.create({ body: { groupName: 'ops' } });
    await server.admin.userAccesses.addUser({ params: { groupName: 'ops' }, body: { userId: 'ann' } });
    const params = { groupId };
    await server.admin.serviceAccesses.addService({ params, body: [{ serviceId: 'billing-service' }] });
    const [service, user] = await list(server, `?entity=group&object=${groupId}`);
    expect(user?.objects).toEqual([
      { entity: 'group', id: groupId, name: 'ops' },
      { entity: 'user', id: 'ann', name: 'ann' },
    ]);
    expect(service?.objects[1]).toEqual({ entity: 'client', id: 'billing', name: 'billing-service' });
    expect(identify(await list(server, '?entity=user&object=ann'))).toEqual(['user-accesses.add-user granted']);
    expect(identify(await list(server, '?entity=client&object=billing'))).toEqual([
      'service-accesses.add-service granted',
    ]);
  });

  test('is filtered by caller, operation, result and time, and paged', async () => {
    await using server = await startServer({ seed });
    for (const groupName of ['one', 'two', 'three']) {
      await server.admin.groups.create({ body: { groupName } });
      server.clock.advance(60);
    }
    await send(server, '/security/iam/v1/groups', { method: 'POST', body: { groupName: 'x' } });
    expect(identify(await list(server, '?result=refused'))).toEqual(['groups.create refused']);
    expect(await list(server, '?operation=groups.remove')).toEqual([]);
    const mine = `?caller=${adminClient.clientId}&operation=groups.create`;
    expect(await list(server, mine)).toHaveLength(3);
    expect(await list(server, `${mine}&since=2026-03-01T12:01:00Z&until=2026-03-01T12:01:59Z`)).toMatchObject([
      { objects: [{ name: 'two' }] },
    ]);
    const first = await send(server, `${path}${mine}&limit=2`);
    await server.admin.groups.create({ body: { groupName: 'four' } });
    const second = await send(server, readNextPath(first));
    expect([first, second].map(({ status, body }) => [status, (body as Item[]).length])).toEqual([
      [206, 2],
      [200, 1],
    ]);
    expect(await send(server, `${path}?since=yesterday`)).toMatchObject({ status: 400 });
  });

  test('with changed has what changed something: no rejections, and no writes without effect', async () => {
    await using server = await startServer({ seed });
    const params = { groupId: 'ops' };
    await server.admin.groups.create({ body: { groupName: 'ops', roles: ['VIEW'] } });
    await server.admin.groups.update({ params, body: { groupName: 'ops', roles: ['VIEW'] } });
    await send(server, '/security/iam/v1/groups', { method: 'POST', body: { groupName: 'x' } });
    await send(server, '/_iam/tokens', { method: 'POST', body: { for: 'ann' } });
    await send(server, '/_iam/clock', { method: 'PUT', body: { advance: '1s' } });
    expect(identify(await list(server, '?changed=true'))).toEqual([
      'control.set-clock granted',
      'groups.create granted',
    ]);
    expect(identify(await list(server, '?changed=false&event=administration'))).toEqual([
      'control.token-issue granted',
      'groups.update granted',
    ]);
  });

  test('keeps the events before a reset, and the reset', async () => {
    await using server = await startServer({ seed });
    await server.admin.groups.create({ body: { groupName: 'ops' } });
    await send(server, '/_iam/state/reset', { method: 'POST' });
    expect(identify(await list(server, '?event=administration'))).toEqual([
      'control.state-reset granted',
      'groups.create granted',
    ]);
  });

  test('of a sandbox has its own events only, and so has that of the server', async () => {
    await using server = await startServer({ seed });
    await send(server, '/_iam/sandboxes', { method: 'POST', body: { name: 'one' } });
    const url = `${server.url}/s/one`;
    await send({ url }, '/security/iam/v1/groups', {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` },
      body: { groupName: 'inside' },
    });
    expect(identify(await list({ url }))).toEqual(['groups.create granted']);
    expect(identify(await list(server))).toEqual(['control.sandbox-create granted']);
  });

  test('shows values only to callers with the roles of the inbox', async () => {
    await using server = await startServer({ seed, flags: { host: '0.0.0.0', 'allow-remote': true } });
    await server.admin.groups.create({ body: { groupName: 'ops' } });
    const read = async (authorities: string[]) => {
      const client = await server.withAuthorities(authorities);
      const { body } = await client.raw('GET', `${path}?operation=groups.create`);
      const items = body as (Item & { readonly code?: string })[];
      if (items[0]?.code !== undefined) return items[0].code;
      return items[0]?.changes?.[0]?.fields.find(({ field }) => field === 'groupName');
    };
    expect(await read(['IAM_ADMIN_READ_ONLY'])).toEqual({ field: 'groupName' });
    expect(await read(['IAM_ADMIN_READ_ONLY', 'IAM_ADMIN_MAINTENANCE', 'AUTH-MFA'])).toEqual({
      field: 'groupName',
      after: 'ops',
    });
    expect(await read(['IAM_ADMIN_MAINTENANCE', 'AUTH-MFA'])).toBe('ROLE_MISSING');
  });

  test('says where values or changes are left out', async () => {
    await using server = await startServer({ seed });
    const roles = Array.from({ length: 300 }, (_, at) => `LONG_NAME_OF_ROLE_${at}`);
    await server.admin.groups.create({ body: { groupName: 'ops', roles } });
    const [event] = await list(server, '?operation=groups.create');
    expect(event).toMatchObject({
      truncated: true,
      changes: [{ fields: expect.arrayContaining([{ field: 'roles' }]) }],
    });
    const users = Array.from({ length: 60 }, (_, at) => ({ userId: `user-${at}`, userName: `user-${at}` }));
    await send(server, '/_iam/seed', { method: 'POST', body: { users } });
    const [seeded] = await list(server, '?operation=control.seed-apply');
    expect(seeded).toMatchObject({ truncated: true });
    expect(JSON.stringify(seeded?.changes).length).toBeLessThanOrEqual(4_200);
  });
});

test('the stream of events has each audit event, with a position to resume at', async () => {
  await using server = await startServer({ seed });
  await server.admin.groups.create({ body: { groupName: 'before' } });
  using stream = await openStream(server, '/_iam/events?topics=audit');
  await server.admin.groups.create({ body: { groupName: 'one' } });
  await server.admin.groups.create({ body: { groupName: 'two' } });
  const [one, two] = await stream.events(2);
  expect([one, two].map((event) => event?.data)).toMatchObject([
    { audit: { objects: [{ name: 'one' }] } },
    { audit: { objects: [{ name: 'two' }] } },
  ]);
  using resumed = await openStream(server, '/_iam/events?topics=audit', { 'Last-Event-ID': one?.id ?? '' });
  expect((await resumed.events(1))[0]?.data).toEqual(two?.data);
});

test('the file has the changes, with masked contacts and without secrets', async () => {
  const audit = createMemorySink();
  await using server = await startServer({ seed, audit });
  const body = { userEmail: 'new@example.com', userMobile: { regionCode: 55, areaCode: 11, phoneNumber: 987654321 } };
  await server.admin.userIdentities.update({ params: { id: 'ann' }, body });
  await send(server, '/_iam/users/ann/password', { method: 'PUT', body: { newPassword: 'another pass phrase' } });
  const [changed, password] = audit.events().slice(-2);
  expect(changed?.changes?.[0]?.fields).toEqual(
    expect.arrayContaining([
      { field: 'userEmail', before: 'a***@example.com', after: 'n***@example.com' },
      { field: 'userMobile', after: '***4321' },
    ]),
  );
  expect(password?.changes?.[0]?.fields).toEqual([{ field: 'passwordHash' }]);
  expect(audit.text()).not.toMatch(/argon2|new@example|987654321/);
});

test('events that anyone can cause do not evict those of administrators', () => {
  const trail = createAuditTrail({ limit: 6 });
  const event = (operation: string) => ({ operation }) as Parameters<typeof trail.add>[0];
  trail.add(event('administration'), 'granted');
  for (let count = 0; count < 20; count += 1) trail.add(event('flood'), 'refused');
  expect(trail.since(0).map(({ sequence }) => sequence)).toEqual([1, 17, 18, 19, 20, 21]);
  expect([trail.hasMissed(16), trail.hasMissed(17)]).toEqual([true, false]);
});

/** Rejections are logged separately and collapsed, so that a flood of them evicts no other event. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { createAuditLog } from '../../../src/server/audit/audit.ts';
import type { AuditEvent } from '../../../src/server/audit/event.ts';
import { openAuditFile } from '../../../src/server/audit/file.ts';
import { createRejectionDeduplicator } from '../../../src/server/audit/rejection-deduplicator.ts';
import type { Log } from '../../../src/server/lib/log.ts';
import { adminClient, appClientId, startServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { basic } from '../operations/user-identities/login-fixtures.ts';
import { asUser } from '../operations/user-token.ts';
import { createManualTimer } from './manual-timer.ts';
import { createMemorySink } from './memory-sink.ts';

const ignore = () => undefined;
const log: Log = { error: ignore, warn: ignore, info: ignore, debug: ignore, infoEnabled: false };

const rejection: AuditEvent = {
  time: '2026-03-01T12:00:00.000Z',
  event: 'authentication',
  requestId: 'r-1',
  operation: 'user-identities.login',
  result: 'refused',
  status: 401,
  code: 'CREDENTIALS_INVALID',
  actor: { kind: 'client', clientId: 'app' },
  remoteAddress: '192.0.2.1',
};
const at = (seconds: number, changed: Partial<AuditEvent> = {}): AuditEvent => ({
  ...rejection,
  time: new Date(Date.parse(rejection.time) + seconds * 1000).toISOString(),
  ...changed,
});

const origin = (network: string) => ({ network, isAnyone: true });

describe('identical rejections', () => {
  test('are logged once at once, and then once a minute with a count', () => {
    const lines: AuditEvent[] = [];
    const timer = createManualTimer();
    const collapse = createRejectionDeduplicator((event) => lines.push(event), timer);
    for (let second = 0; second < 100; second += 1) collapse.record(at(second, { requestId: `r-${second}` }), 'net');
    expect(lines).toEqual([at(0, { requestId: 'r-0' })]);
    timer.pass();
    expect(lines.slice(1)).toEqual([
      { ...at(99, { requestId: 'r-99' }), targets: undefined, repeated: 99, since: at(0).time },
    ]);
    collapse.record(at(100), 'net');
    expect(lines).toHaveLength(2);
    timer.pass();
    expect(lines[2]).toMatchObject({ repeated: 1, since: at(99).time, time: at(100).time });
    // After a quiet minute the next one is logged at once.
    timer.pass();
    expect([lines.length, timer.pending()]).toEqual([3, 0]);
    collapse.record(at(300), 'net');
    expect(lines[3]).toEqual(at(300));
  });

  test.each<[string, Partial<AuditEvent>, string]>([
    ['source', {}, 'another'],
    ['operation', { operation: 'groups.list' }, 'net'],
    ['code', { code: 'TOO_MANY_ATTEMPTS' }, 'net'],
    ['event', { event: 'administration' }, 'net'],
    ['caller', { actor: { kind: 'client', clientId: 'other' } }, 'net'],
    ['subject', { subject: { kind: 'user', userId: 'ann' } }, 'net'],
    ['sandbox', { sandbox: 'one' }, 'net'],
  ])('that differ in %s are not collapsed', (_what, changed, network) => {
    const lines: AuditEvent[] = [];
    const collapse = createRejectionDeduplicator((event) => lines.push(event), createManualTimer());
    collapse.record(rejection, 'net');
    collapse.record(at(1, changed), network);
    expect(lines).toHaveLength(2);
  });

  test('are flushed on stop', () => {
    const lines: AuditEvent[] = [];
    const timer = createManualTimer();
    const collapse = createRejectionDeduplicator((event) => lines.push(event), timer);
    for (const second of [0, 1, 2]) collapse.record(at(second), 'net');
    collapse.stop();
    expect(lines[1]).toMatchObject({ repeated: 2 });
    expect(timer.pending()).toBe(0);
  });

  test('from too many sources share a line, and memory stays bounded', () => {
    const lines: AuditEvent[] = [];
    const timer = createManualTimer();
    const collapse = createRejectionDeduplicator((event) => lines.push(event), timer, 10);
    for (let source = 0; source < 10_000; source += 1)
      collapse.record(at(0, { remoteAddress: `address ${source}` }), `net ${source}`);
    expect(lines).toHaveLength(11);
    expect(lines[10]).toMatchObject({ actor: { kind: 'various' }, remoteAddress: 'various' });
    timer.pass();
    expect(lines).toHaveLength(12);
    expect(lines[11]).toMatchObject({ repeated: 9989, remoteAddress: 'various', operation: rejection.operation });
    timer.pass();
    expect([lines.length, timer.pending()]).toEqual([12, 0]);
  });
});

test('one network does not hide the sources of other rejections', () => {
  const lines: AuditEvent[] = [];
  const timer = createManualTimer();
  const collapse = createRejectionDeduplicator((event) => lines.push(event), timer, 100);
  const flood = (from: number) => {
    for (let kind = 0; kind < 1000; kind += 1) collapse.record(at(0, { sandbox: `s${from + kind}` }), 'flood');
  };
  flood(0);
  expect(lines.length).toBeLessThanOrEqual(11);
  collapse.record(at(1, { remoteAddress: '192.0.2.2' }), 'other');
  expect(lines.at(-1)?.remoteAddress).toBe('192.0.2.2');
  // After two quiet minutes the first one has its share again, and no more than that.
  for (let minute = 0; minute < 2; minute += 1) timer.pass();
  const before = lines.length;
  flood(1000);
  expect(lines.length - before).toBeGreaterThanOrEqual(10);
  expect(lines.length - before).toBeLessThanOrEqual(11);
});

test('events that any caller can cause evict no administrative event', async () => {
  const [granted, selfService] = [createMemorySink(), createMemorySink()];
  await using server = await startServer({ audit: granted, selfServiceAudit: selfService });
  await server.admin.groups.create({ body: { groupName: 'ops' } });
  const administration = granted.events().length;
  for (const userName of ['unknown', 'another'])
    await send(server, `${servicePrefix}/user-identities/retrieve-identity?clientId=${appClientId}`, {
      method: 'POST',
      body: { userName },
    });
  const device = { body: { deviceId: 'phone' } };
  await (await asUser(server)).userIdentities.associateDevice(device);
  expect(granted.events()).toHaveLength(administration);
  expect(selfService.events().map(({ operation }) => operation)).toEqual([
    'user-identities.retrieve',
    'user-identities.retrieve',
    'user-identities.associate-device',
  ]);
  // A login of an administrator, its change, and a change through the local control plane are not anonymous.
  await (await asUser(server, { roles: ['ADMIN'] })).userIdentities.associateDevice(device);
  expect((await send(server, '/_iam/state/reset', { method: 'POST' })).status).toBe(204);
  const login = await send(server, `${servicePrefix}/user-identities/login?clientId=${appClientId}`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa('admin:correct horse battery staple')}` },
  });
  expect(login.status).toBe(201);
  expect(granted.events()).toHaveLength(administration + 3);
  expect(selfService.events()).toHaveLength(3);
});

test('a flood of rejected logins evicts no administrative event, and costs a few lines', async () => {
  const [granted, rejected] = [createMemorySink(), createMemorySink()];
  const timer = createManualTimer();
  const flags = { 'disable-rate-limits': true, 'trusted-proxies': '127.0.0.0/8' };
  await using server = await startServer({ audit: granted, rejectedAudit: rejected, timer, flags });
  await server.admin.groups.create({ body: { groupName: 'ops' } });
  for (let tries = 0; tries < 12; tries += 1)
    await send(server, `${servicePrefix}/user-identities/login?clientId=${appClientId}`, {
      method: 'POST',
      headers: { Authorization: basic(`typed-secret-${tries}`, 'wrong'), 'X-Forwarded-For': `2001:db8::${tries}` },
    });
  expect(granted.events().map(({ operation }) => operation)).toEqual(['client-identities.login', 'groups.create']);
  expect(rejected.events()).toHaveLength(1);
  expect(rejected.last()).toMatchObject({ code: 'CREDENTIALS_INVALID', remoteAddress: '2001:db8::0' });
  timer.pass();
  expect(rejected.last()).toMatchObject({ repeated: 11, remoteAddress: '2001:db8::11' });
  expect(rejected.text()).not.toContain('typed-secret');
});

test('a rejected change and a failed one are not written to the log of granted changes', async () => {
  const [granted, rejected] = [createMemorySink(), createMemorySink()];
  await using server = await startServer({ audit: granted, rejectedAudit: rejected });
  const { clientId, clientSecret } = await server.makeClient();
  const create = (name: string, secret: string) =>
    send(server, `${servicePrefix}/groups`, {
      method: 'POST',
      headers: { Authorization: basic(name, secret) },
      body: { groupName: 'ops' },
    });
  expect((await create(clientId, clientSecret)).status).toBe(403);
  server.stopWrites();
  expect((await create(adminClient.clientId, adminClient.clientSecret)).status).toBe(503);
  expect(granted.events()).toEqual([]);
  expect(rejected.events().map(({ result, code }) => [result, code])).toEqual([
    ['refused', 'ROLE_MISSING'],
    ['failed', 'STORE_UNAVAILABLE'],
  ]);
});

describe('on disk', () => {
  test('rejections of all kinds rotate their own file, within its limit, and evict no administrative line', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-audit-'));
    const place = (name: string) => path.join(folder, name);
    const tuning = { log, rotateBytes: 2000, maxFiles: 2 };
    const audit = createAuditLog(
      {
        granted: await openAuditFile({ path: place('audit.log'), ...tuning }),
        selfService: createMemorySink(),
        refused: await openAuditFile({ path: place('audit-refused.log'), ...tuning }),
      },
      createManualTimer(),
    );
    audit.record(
      { ...rejection, event: 'administration', result: 'granted', operation: 'groups.create' },
      { network: 'net', isAnyone: false },
    );
    for (let source = 0; source < 500; source += 1) {
      audit.record(at(source), origin(`net ${source}`));
      // The file is written asynchronously; this runs the event loop.
      if (source % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await audit.close();
    const names = (await readdir(folder)).sort();
    expect(names.filter((name) => !name.includes('refused'))).toEqual(['audit.log']);
    expect(await readFile(place('audit.log'), 'utf8')).toContain('groups.create');
    const rejectionFiles = names.filter((name) => name.includes('refused'));
    expect(rejectionFiles.length).toBeLessThanOrEqual(3);
    expect((await stat(place('audit-refused.log'))).mode & 0o777).toBe(0o600);
    await rm(folder, { recursive: true });
  });

  test('health reports lost lines of every log', () => {
    const lossy = (lost: number, writable: boolean) => ({ ...createMemorySink(), health: () => ({ lost, writable }) });
    const audit = createAuditLog(
      { granted: lossy(1, true), selfService: lossy(3, true), refused: lossy(2, false) },
      createManualTimer(),
    );
    expect(audit.health()).toEqual({ writable: false, lost: 6 });
    const one = lossy(4, true);
    expect(createAuditLog({ granted: one, selfService: one, refused: one }, createManualTimer()).health()).toEqual({
      writable: true,
      lost: 4,
    });
  });
});

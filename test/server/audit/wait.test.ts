/** Responses of administrative changes follow their audit lines, and never depend on the success of the audit log. */
import { spawnSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readSync, writeSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { createFileTrust } from '../../../src/lib/file-trust.ts';
import type { AuditEvent } from '../../../src/server/audit/event.ts';
import { openAuditFile } from '../../../src/server/audit/file.ts';
import { openAudit } from '../../../src/server/audit/open.ts';
import { readSettings } from '../../../src/server/config/settings.ts';
import type { Log } from '../../../src/server/lib/log.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { createManualTimer } from './manual-timer.ts';
import { createMemorySink } from './memory-sink.ts';

const ignore = () => undefined;
const log: Log = { error: ignore, warn: ignore, info: ignore, debug: ignore, infoEnabled: false };
const trust = createFileTrust(undefined, []);
const groupsPath = `${servicePrefix}/groups`;
const authorization = `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'iam-audit-wait-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Creates a group with the secret of the client, without a login. */
async function createGroup(server: TestServer, groupName: string): Promise<void> {
  const headers = { Authorization: authorization };
  const { status } = await send(server, groupsPath, { method: 'POST', headers, body: { groupName } });
  expect(status).toBe(201);
}

const groupNamesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as AuditEvent).targets?.groupName);
const readReadiness = async (server: TestServer) => (await send(server, '/readyz')).body;

test('a change of an administrator is acknowledged after its line is written; reads and logins do not wait', async () => {
  let end = () => {};
  const flushed = new Promise<void>((resolve) => {
    end = resolve;
  });
  const audit = { ...createMemorySink(), flush: () => flushed };
  await using server = await startServer({ audit });
  const acknowledged: string[] = [];
  const changes = [
    createGroup(server, 'one').then(() => acknowledged.push('groups.create')),
    send(server, '/_iam/inbox', { method: 'DELETE' }).then(() => acknowledged.push('control.inbox-empty')),
    send(server, '/s/box/_iam/inbox', { method: 'DELETE' }).then(() => acknowledged.push('in a sandbox')),
  ];
  await expect.poll(() => audit.events()).toHaveLength(changes.length);
  // Its client logs in first.
  await server.admin.groups.list();
  expect(audit.events()).toHaveLength(changes.length + 1);
  expect(acknowledged).toEqual([]);
  end();
  await Promise.all(changes);
  expect(acknowledged).toHaveLength(changes.length);
  expect(audit.events()).toHaveLength(changes.length + 1);
});

test('the lines of concurrent changes are in the file before their responses, in the order of the responses', async () => {
  // No time passes on the timer: a slow disk delays the responses without a limit.
  const file = path.join(folder, 'audit.log');
  await using server = await startServer({
    audit: await openAuditFile({ path: file, log, rotateBytes: 2_000, timer: createManualTimer() }),
  });
  const acknowledged: string[] = [];
  const create = async (groupName: string) => {
    await createGroup(server, groupName);
    acknowledged.push(groupName);
    if (!(await readFiles(file)).includes(`"groupName":"${groupName}"`)) throw new Error(`${groupName} has no line`);
  };
  await Promise.all(Array.from({ length: 20 }, (_, number) => create(`concurrent-${number}`)));
  for (const number of [1, 2, 3]) await create(`sequential-${number}`);
  const recorded = groupNamesOf(await readFiles(file));
  expect(recorded.toSorted()).toEqual(acknowledged.toSorted());
  expect(recorded.slice(-3)).toEqual(['sequential-1', 'sequential-2', 'sequential-3']);
});

/** Returns the text of all files of a log, the oldest first. */
async function readFiles(file: string): Promise<string> {
  const names = [5, 4, 3, 2, 1].map((number) => `${file}.${number}`);
  return (await Promise.all([...names, file].map((name) => readFile(name, 'utf8').catch(() => '')))).join('');
}

test('standard error: a change waits until the stream has its line', async () => {
  const written: (() => void)[] = [];
  const lines: string[] = [];
  const write = (line: string, onWritten: () => void) => {
    lines.push(line);
    written.push(onWritten);
  };
  const sinks = await openAudit(readSettings({ 'audit-log': '-' }, {}), { log, trust, write });
  await using server = await startServer({ audit: sinks?.granted ?? createMemorySink() });
  let isAcknowledged = false;
  const change = createGroup(server, 'one').then(() => {
    isAcknowledged = true;
  });
  await expect.poll(() => lines).toHaveLength(1);
  expect((await send(server, groupsPath, { headers: { Authorization: authorization } })).status).toBe(200);
  expect(isAcknowledged).toBe(false);
  for (const onWritten of written) onWritten();
  await change;
  expect(groupNamesOf(lines.join(''))).toEqual(['one']);
});

describe('a log that cannot be written', () => {
  test.runIf(existsSync('/dev/full'))('because the disk is full delays no change, and counts lost lines', async () => {
    await using server = await startServer({
      audit: await openAuditFile({ path: '/dev/full', log, maxQueuedBytes: 2_000, timer: createManualTimer() }),
    });
    // No time passes on the timer: an attempt that were not over would hold its request.
    for (let number = 0; number < 6; number += 1) {
      const both = ['a', 'b'].map((name) => createGroup(server, `${name}-${number}`));
      await Promise.all(both);
    }
    expect(await readReadiness(server)).toMatchObject({ status: 'ready', audit: 'failing' });
    const { body } = await send(server, '/_iam/metrics');
    expect(body).toMatch(/^iam_audit_writable 0$/m);
    expect(body).toMatch(/^iam_audit_lines_lost_total [1-9]\d*$/m);
  });

  test.runIf(os.platform() === 'linux')('because it hangs delays changes once, for a limited time', async () => {
    const pipe = path.join(folder, 'pipe');
    spawnSync('mkfifo', [pipe]);
    const reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    fillPipe(reader);
    const timer = createManualTimer();
    const audit = await openAuditFile({ path: pipe, log, timer });
    await using server = await startServer({ audit });
    const held = ['one', 'two'].map((name) => createGroup(server, name));
    await expect.poll(() => timer.pending()).toBeGreaterThan(0);
    timer.pass();
    await Promise.all(held);
    expect(await readReadiness(server)).toMatchObject({ status: 'ready', audit: 'failing' });
    await createGroup(server, 'three');
    await expect.poll(() => readPipe(reader)).toContain('three');
    await expect.poll(() => readReadiness(server)).toMatchObject({ audit: 'written' });
    await createGroup(server, 'four');
    expect(readPipe(reader)).toContain('four');
    closeSync(reader);
  });
});

function fillPipe(descriptor: number): void {
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4096, '\n'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
}

function readPipe(descriptor: number): string {
  const buffer = Buffer.alloc(1 << 20);
  try {
    return buffer.toString('utf8', 0, readSync(descriptor, buffer));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    return '';
  }
}

test('a client that reads no response delays no other, and its changes have their lines', async () => {
  const pipelined = 40;
  const file = path.join(folder, 'audit.log');
  await using server = await startServer({
    audit: await openAuditFile({ path: file, log, timer: createManualTimer() }),
  });
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).pause();
  const requests = Array.from({ length: pipelined }, (_, number) => {
    const body = JSON.stringify({ groupName: `unread-${number}` });
    const headers = `Host: localhost\r\nAuthorization: ${authorization}\r\nContent-Type: application/json`;
    return `POST ${groupsPath} HTTP/1.1\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  });
  socket.write(requests.join(''));
  await createGroup(server, 'read');
  await expect.poll(async () => groupNamesOf(await readFile(file, 'utf8'))).toHaveLength(pipelined + 1);
  await createGroup(server, 'read-too');
  socket.destroy();
});

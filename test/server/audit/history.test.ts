/** Events that are no longer in memory are read from the files of the audit log. */
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { type AuditFilter, auditExtentHeader } from '../../../src/contract/audit.ts';
import { type AuditClass, createAuditLog } from '../../../src/server/audit/audit.ts';
import type { AuditEvent } from '../../../src/server/audit/event.ts';
import { openAuditFile } from '../../../src/server/audit/file.ts';
import { createAuditHistory } from '../../../src/server/audit/history.ts';
import { createAuditSequence } from '../../../src/server/audit/sequence.ts';
import { type AuditTrailOptions, createAuditTrail } from '../../../src/server/audit/trail.ts';
import type { AuditItem } from '../../../src/server/control/audit-items.ts';
import type { Log } from '../../../src/server/lib/log.ts';
import { startServer } from '../../../src/testing/index.ts';
import { readNextPath, send } from '../control/control-client.ts';
import { createManualTimer } from './manual-timer.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'iam-audit-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const append = () => undefined;
const log: Log = { error: append, warn: append, info: append, debug: append, infoEnabled: true };
const classes = ['granted', 'selfService', 'refused'] as const;

const createEvent = (operation: string, auditClass: AuditClass): AuditEvent => ({
  ...{ time: '2026-03-01T12:00:00.000Z', event: 'administration', requestId: 'request', remoteAddress: '127.0.0.1' },
  operation,
  result: auditClass === 'refused' ? 'refused' : 'granted',
  actor: { kind: 'anonymous' },
});

type Trail = Awaited<ReturnType<typeof openTrail>>;

/** A trail as the server opens it, with small files and blocks. */
async function openTrail(options: Partial<AuditTrailOptions> = {}, rotateBytes = 100_000) {
  const at = (name: AuditClass) => path.join(folder, `${name}.log`);
  const files = { granted: at('granted'), selfService: at('selfService'), refused: at('refused') };
  const open = (name: AuditClass) => openAuditFile({ path: at(name), log, rotateBytes });
  const sinks = {
    granted: await open('granted'),
    selfService: await open('selfService'),
    refused: await open('refused'),
  };
  const history = createAuditHistory(files, sinks);
  const sequence = createAuditSequence(await history.findLastSequence());
  const audit = createAuditLog(sinks, createManualTimer(), sequence);
  const trail = createAuditTrail({ sequence, history, limit: 10, blockBytes: 300, ...options });
  const record = (operation: string, auditClass: AuditClass) => {
    const origin = { network: operation, isAnyone: auditClass === 'selfService' };
    void audit.record(trail.add(createEvent(operation, auditClass), auditClass), origin);
  };
  return { trail, files, history, sequence, record, close: () => audit.close() };
}

/** Records in turn in all classes. */
function recordMany({ record }: Trail, count: number, from = 0): void {
  for (let at = from; at < from + count; at += 1) record(`operation-${at}`, classes[(at * at) % 3] as AuditClass);
}

async function readAll({ trail }: Pick<Trail, 'trail'>, filter: AuditFilter = {}, limit = 7) {
  const found: number[] = [];
  let after: string | undefined;
  let pages = 0;
  do {
    const page = await trail.read(filter, { after, limit });
    found.push(...page.items.map(({ sequence }) => sequence));
    after = page.next;
    pages += 1;
  } while (after !== undefined);
  return { found, pages };
}

const countDown = (from: number, to = 1) => Array.from({ length: from - to + 1 }, (_, at) => from - at);

describe('events of files', () => {
  test('follow those in memory, each once and in order, over pages, files and a restart', async () => {
    const first = await openTrail({}, 5_000);
    recordMany(first, 100);
    expect((await readAll(first)).found).toEqual(countDown(100));
    await first.close();
    // A kill cut off the last line.
    await appendFile(first.files.granted, '{"sequence":101,"time":"20');
    const second = await openTrail({}, 5_000);
    expect(second.sequence.next).toBe(102);
    expect((await readAll(second)).found).toEqual(countDown(100));
    recordMany(second, 30, 100);
    expect((await readAll(second)).found).toEqual([...countDown(131, 102), ...countDown(100)]);
    const { items } = await second.trail.read({ operation: 'operation-5' }, { limit: 10 });
    expect(items).toEqual([{ ...createEvent('operation-5', 'selfService'), sequence: 6, changesText: undefined }]);
    await second.close();
  });

  test('are searched in parts: a page can be short, and the next one goes on', async () => {
    const opened = await openTrail({ bytesPerRead: 2_000 });
    recordMany(opened, 200);
    const { found, pages } = await readAll(opened, { operation: 'operation-3' });
    expect(found).toEqual([4]);
    expect(pages).toBeGreaterThan(3);
    await opened.close();
  });

  test('that were deleted with the oldest file are said to be missing', async () => {
    const opened = await openTrail({}, 1_000);
    expect(await opened.trail.findExtent()).toBe('all');
    recordMany(opened, 30);
    await opened.close();
    for (let start = 0; start < 12; start += 1) {
      const again = await openTrail({}, 1_000);
      recordMany(again, 30);
      await again.close();
    }
    const last = await openTrail({}, 1_000);
    expect(await last.trail.findExtent()).toBe('files');
    const { found } = await readAll(last);
    expect(found[0]).toBe(390);
    expect(found).toEqual([...found].sort((one, other) => other - one));
    expect(new Set(found).size).toBe(found.length);
    expect(found.length).toBeLessThan(390);
    await last.close();
    expect(await createAuditTrail({}).findExtent()).toBe('run');
  });

  test('do not include what is no event, nor lines longer than any', async () => {
    const opened = await openTrail();
    recordMany(opened, 40);
    await opened.close();
    const text = await readFile(opened.files.granted, 'utf8');
    await writeFile(
      opened.files.granted,
      `${'x'.repeat(600_000)}\n{"sequence":0}\n\n${text}not an event\n{"sequence":41,"actor":null}\n`,
    );
    const again = await openTrail();
    expect((await readAll(again)).found).toEqual(countDown(40));
    expect((await readAll(again, { caller: 'ann' })).found).toEqual([]);
    await again.close();
  });

  test('that repeat a rejection are counted in one event of its own', async () => {
    const opened = await openTrail();
    for (let count = 0; count < 5; count += 1) opened.record('same', 'refused');
    await opened.close();
    const again = await openTrail();
    const { items } = await again.trail.read({}, { limit: 10 });
    expect(items).toMatchObject([{ sequence: 6, repeated: 4 }, { sequence: 1 }]);
    await again.close();
  });
});

type Item = z.output<typeof AuditItem>;

async function list(url: string, query = '') {
  const { headers, body } = await send({ url }, `/_iam/audit${query}`);
  return { extent: headers[auditExtentHeader.toLowerCase()], items: body as Item[] };
}

const operationsOf = (items: readonly Item[]) => items.map(({ operation }) => operation);

describe('the list of a server with a folder', () => {
  const seed = { users: [{ userId: 'ann', userName: 'ann', userEmail: 'ann@example.com' }] };

  test('has the events before a restart, with masked contacts, and goes on with their numbers', async () => {
    const options = { seed, store: { data: path.join(folder, 'store') } };
    {
      await using iam = await startServer(options);
      await iam.client.userIdentities.update({ params: { id: 'ann' }, body: { userEmail: 'new@example.com' } });
      await iam.client.groups.create({ body: { groupName: 'ops' } });
    }
    await using iam = await startServer(options);
    await iam.client.groups.addRole({ params: { groupId: 'ops' }, body: { roleName: 'DEPLOY' } });
    const { extent, items } = await list(iam.url, '?event=administration');
    expect(extent).toBe('all');
    expect(operationsOf(items)).toEqual(['groups.add-role', 'groups.create', 'user-identities.update']);
    expect(items[2]?.changes?.[0]?.fields).toContainEqual({
      field: 'userEmail',
      before: 'a***@example.com',
      after: 'n***@example.com',
    });
    const first = await send(iam, '/_iam/audit?event=administration&limit=2');
    expect(first.status).toBe(206);
    const rest = (await send(iam, readNextPath(first))).body as Item[];
    expect(operationsOf(rest)).toEqual(['user-identities.update']);
    // By the name of an object whose name is in no event.
    expect(operationsOf((await list(iam.url, '?object=ops')).items)).toEqual(['groups.add-role', 'groups.create']);
  });

  test('of a sandbox has no events of the server, of others, nor of an earlier one of its name', async () => {
    const options = { seed, store: { data: path.join(folder, 'store') } };
    const createSandbox = (url: string, name: string) =>
      send({ url }, '/_iam/sandboxes', { method: 'POST', body: { name } });
    const applySeed = (url: string, groupName: string) =>
      send({ url }, '/_iam/seed', { method: 'POST', body: { groups: [{ groupName }] } });
    {
      await using iam = await startServer(options);
      await createSandbox(iam.url, 'one');
      await applySeed(`${iam.url}/s/one`, 'earlier');
    }
    await using iam = await startServer(options);
    await createSandbox(iam.url, 'one');
    await createSandbox(iam.url, 'two');
    await applySeed(`${iam.url}/s/one`, 'mine');
    await applySeed(`${iam.url}/s/two`, 'other');
    const { items } = await list(`${iam.url}/s/one`);
    expect(items).toMatchObject([{ operation: 'control.seed-apply', objects: [{ name: 'mine' }] }]);
    const ofServer = (await list(iam.url)).items.filter(({ operation }) => operation === 'control.seed-apply');
    expect(ofServer).toEqual([]);
  });
});

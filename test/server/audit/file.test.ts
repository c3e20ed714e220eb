/** The audit log file: permissions, rotation, and lines that the disk rejects. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileTrust } from '../../../src/lib/file-trust.ts';
import type { AuditSink, AuditSinks } from '../../../src/server/audit/audit.ts';
import { openAuditFile } from '../../../src/server/audit/file.ts';
import { openAudit } from '../../../src/server/audit/open.ts';
import { readSettings } from '../../../src/server/config/settings.ts';
import type { Log } from '../../../src/server/lib/log.ts';
import { startServer } from '../../../src/testing/index.ts';

let folder: string;
let logged: string[];
let log: Log;
const trust = createFileTrust(undefined, []);

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'iam-audit-'));
  logged = [];
  const append = (_: unknown, message: string) => void logged.push(message);
  log = { error: append, warn: append, info: append, debug: append, infoEnabled: true };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (name = 'audit.log') => path.join(folder, name);
const line = (number: number) => `{"line":${number}}\n`;

async function writeEachTurn(sink: AuditSink, isEnded: () => boolean): Promise<void> {
  for (let number = 1; !isEnded(); number += 1) {
    await nextTurn();
    sink.write(line(number));
  }
}

describe('an audit log in a file', () => {
  test('contains every line in order after a stop, and is appended to on restart', async () => {
    for (const from of [0, 500]) {
      const sink = await openAuditFile({ path: at(), log });
      for (let number = from; number < from + 500; number += 1) sink.write(line(number));
      await sink.close();
    }
    expect(await readFile(at(), 'utf8')).toBe(Array.from({ length: 1000 }, (_, number) => line(number)).join(''));
    expect((await stat(at())).mode & 0o777).toBe(0o600);
  });

  test('writes a line that a request waits for in the next turn, also while others keep arriving', async () => {
    const sink = await openAuditFile({ path: at(), log });
    let written: string | undefined;
    // Before the first line, so that each turn brings a line before the sink looks for more.
    const others = writeEachTurn(sink, () => written !== undefined);
    sink.write(line(0));
    await sink.flush();
    written = readFileSync(at(), 'utf8');
    await others;
    await sink.close();
    expect(written).toBe(line(0) + line(1));
  });

  test('does not append to a line that a kill truncated', async () => {
    await writeFile(at(), `${line(1)}{"li`, { mode: 0o644 });
    const sink = await openAuditFile({ path: at(), log });
    sink.write(line(2));
    await sink.close();
    expect(await readFile(at(), 'utf8')).toBe(`${line(1)}{"li\n${line(2)}`);
    expect((await stat(at())).mode & 0o777).toBe(0o600);
  });

  test('rotates at a size; keeps the configured number of old files and loses no line among them', async () => {
    for (let round = 1; round <= 5; round += 1) {
      const sink = await openAuditFile({ path: at(), log, rotateBytes: 80, maxFiles: 2 });
      for (let number = 0; number < 6; number += 1) sink.write(line(round * 10 + number));
      await sink.close();
    }
    const names = ['audit.log.2', 'audit.log.1', 'audit.log'];
    expect((await readdir(folder)).sort()).toEqual([...names].reverse());
    const texts = await Promise.all(names.map((name) => readFile(at(name), 'utf8')));
    const numbers = [3, 4, 5].map((round) => Array.from({ length: 6 }, (_, number) => line(round * 10 + number)));
    expect(texts).toEqual(numbers.map((lines) => lines.join('')));
  });

  test('goes on with a rotation that was interrupted, and replaces no other old file', async () => {
    const before = { 'audit.log': line(1), 'audit.log.1': line(2), 'audit.log.3': line(3) };
    for (const [name, text] of Object.entries(before)) await writeFile(at(name), text);
    const sink = await openAuditFile({ path: at(), log, rotateBytes: 10, maxFiles: 4 });
    sink.write(line(4));
    await sink.close();
    const names = ['audit.log', 'audit.log.1', 'audit.log.2', 'audit.log.3'];
    expect((await readdir(folder)).sort()).toEqual(names);
    const texts = await Promise.all(names.map((name) => readFile(at(name), 'utf8')));
    expect(texts).toEqual([4, 1, 2, 3].map(line));
  });

  test.runIf(existsSync('/dev/full'))('on a full disk reports it once, and counts the lost lines', async () => {
    const sink = await openAuditFile({ path: '/dev/full', log, maxQueuedBytes: 100 });
    expect(sink.health()).toEqual({ writable: true, lost: 0 });
    for (let number = 10; number < 40; number += 1) {
      sink.write(line(number));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await sink.close();
    expect(sink.health()).toMatchObject({ writable: false, lost: expect.any(Number) });
    expect(sink.health().lost).toBeGreaterThan(10);
    expect(logged).toEqual(['cannot write the audit log', 'audit lines were not written']);
  });
});

async function close(sinks: AuditSinks | undefined): Promise<void> {
  for (const sink of new Set([sinks?.granted, sinks?.selfService, sinks?.refused])) await sink?.close();
}

describe('the location', () => {
  const openSinks = (flags: Record<string, string>, lines: string[] = []) =>
    openAudit(readSettings({ data: folder, ...flags }, {}), { log, trust, write: (text) => void lines.push(text) });

  test('is the folder of the store, a file, standard error, or none', async () => {
    await close(await openSinks({}));
    await close(await openSinks({ 'audit-log': at('other') }));
    expect((await readdir(folder)).sort()).toEqual([
      'audit-refused.log',
      'audit-self-service.log',
      'audit.log',
      'other',
      'other-refused',
      'other-self-service',
    ]);
    const lines: string[] = [];
    const both = await openSinks({ 'audit-log': '-' }, lines);
    both?.granted.write(line(1));
    both?.refused.write(line(2));
    expect(lines).toEqual([line(1), line(2)]);
    expect(await openSinks({ store: 'memory' })).toBeUndefined();
    expect(await openSinks({ 'audit-log': 'off' })).toBeUndefined();
    await expect(openSinks({ 'audit-log': at('no/folder') })).rejects.toThrow(
      /^--audit-log .* is not writable: ENOENT$/,
    );
  });

  test.runIf(existsSync('/dev/null'))('on a device also receives rejections: no other file is created', async () => {
    const sinks = await openSinks({ 'audit-log': '/dev/null' });
    expect([sinks?.selfService, sinks?.refused]).toEqual([sinks?.granted, sinks?.granted]);
    await sinks?.granted.close();
  });

  test('is no existing file of another kind, which a seed could name: it stays as it was', async () => {
    for (const text of ['alias ls=ls\n', '{\n  "name": "package"\n}\n', '{"time":"noon"}\n']) {
      await writeFile(at('file'), text, { mode: 0o644 });
      await expect(openSinks({ 'audit-log': at('file') })).rejects.toThrow(/file exists and is not an audit log/);
      expect([await readFile(at('file'), 'utf8'), (await stat(at('file'))).mode & 0o777]).toEqual([text, 0o644]);
    }
    for (const text of [
      '',
      '{"time":"t","event":"administration"}\n',
      '{"time":"cut o',
      '{"time":"cut\n{"time":"t","event":"e"}\n',
    ]) {
      await writeFile(at('file'), text);
      await close(await openSinks({ 'audit-log': at('file') }));
    }
  });

  test('of rejections that cannot be opened is an error, and no file stays open', async () => {
    await mkdir(at('audit-refused.log'));
    await expect(openSinks({})).rejects.toThrow(/^--audit-log .*audit-refused\.log is not writable: EISDIR$/);
  });

  test('of a store on disk is beside its files, from its first start on', async () => {
    const data = at('store');
    await using iam = await startServer({ store: { data } });
    await iam.client.groups.create({ body: { groupName: 'ops' } });
    await iam.stop();
    const lines = (await readFile(path.join(data, 'audit.log'), 'utf8')).trimEnd().split('\n');
    const events = lines.map((text) => JSON.parse(text) as { operation: string });
    expect(events.at(-1)).toMatchObject({ operation: 'groups.create', result: 'granted', event: 'administration' });
    await using again = await startServer({ store: { data } });
    expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
  });
});

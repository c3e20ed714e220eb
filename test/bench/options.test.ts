import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { probeNode } from '../../bench/node-binary.ts';
import { parseOptions } from '../../bench/options.ts';

const names = ['get', 'cli'];

describe('the options of the benchmarks', () => {
  test('are all benchmarks with the current Node by default', () => {
    const defaults = { only: names, node: [process.execPath], store: 'file', json: false, check: false };
    expect(parseOptions([], names)).toMatchObject(defaults);
    expect(parseOptions(['--store', 'postgres'], names).store).toBe('postgres');
  });

  test('leave out optional benchmarks, unless they are named', () => {
    expect(parseOptions([], names, ['cli']).only).toEqual(['get']);
    expect(parseOptions(['--only', 'cli'], names, ['cli']).only).toEqual(['cli']);
  });

  test('accept several benchmarks and versions of Node', () => {
    const options = parseOptions(['--only', 'cli', '--node', '/a/node', '--node', '/b/node', '--record', 'h'], names);
    expect(options).toMatchObject({ only: ['cli'], node: ['/a/node', '/b/node'], record: 'h' });
  });

  test('show the committed history or another file', () => {
    expect(parseOptions([], names).history).toBeUndefined();
    expect(parseOptions(['--history'], names).history).toBe('bench/history.jsonl');
    expect(parseOptions(['--history', 'other.jsonl'], names).history).toBe('other.jsonl');
  });

  test.each([
    [['--only', 'nope'], 'unknown benchmark nope'],
    [['cli'], 'unexpected argument cli'],
    [['--history', 'a', 'b'], 'unexpected argument b'],
    [['--nope'], '--nope'],
    [['--store', 'memory'], '--store is one of file, postgres'],
  ])('%j is rejected with a reason', (args, reason) => {
    expect(() => parseOptions(args, names)).toThrow(reason);
  });
});

describe('a Node executable', () => {
  test('is described by its version', () => {
    expect(probeNode(process.execPath)).toMatchObject({ path: process.execPath, version: process.versions.node });
  });

  test('that does not exist is rejected with its path', () => {
    expect(() => probeNode('/no/such/node')).toThrow('cannot execute /no/such/node: ');
  });

  test.runIf(process.platform !== 'win32')('that is another program is rejected with its path', () => {
    const directory = mkdtempSync(path.join(os.tmpdir(), 'iam-node-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const file = path.join(directory, 'other');
    writeFileSync(file, '#!/bin/sh\necho something else\n');
    chmodSync(file, 0o755);
    expect(() => probeNode(file)).toThrow(`${file} is not Node. Pass the path of a node executable.`);
  });
});

/** The built command on a real terminal. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeServer, startFakeServer } from '../client/fake-server.ts';
import { command, type ProcessResult, root, Sandbox } from './cli-process.ts';

const python = spawnSync('python3', ['-c', 'import pty']);
const why = python.status === 0 ? '' : ' (skipped: there is no python3 with pty here)';

describe.skipIf(why !== '')(`at a terminal${why}`, () => {
  let sandbox: Sandbox;
  let server: FakeServer;

  beforeAll(async () => {
    sandbox = await Sandbox.make();
    server = await startFakeServer(({ method, path: target }) =>
      method === 'GET' && target.includes('/groups')
        ? {
            json: [
              { groupName: 'ops', roles: ['DEPLOY'] },
              { groupName: 'leads', roles: [] },
            ],
          }
        : { json: {} },
    );
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await sandbox[Symbol.asyncDispose]();
  });

  /** Types each reply after its prompt appears; standard output is a pipe. */
  function typed(
    words: readonly string[],
    exchanges: readonly (readonly [string, string])[],
    more = {},
  ): Promise<ProcessResult> {
    const script = path.join(root, 'test/e2e/terminal.py');
    const variables = { IAM_BASE_URL: server.url, IAM_TOKEN: 'token', TERM: 'xterm', ...more };
    const typist = [script, JSON.stringify(exchanges), ...command, ...words];
    return sandbox.start('python3', typist, variables, 'open').done;
  }

  const writes = () => server.received.filter(({ method }) => method !== 'GET');

  test('prompts for missing values on standard error and writes only data to the pipe', async () => {
    const words = ['groups', 'add-role', '-o', 'json'];
    const outcome = await typed(words, [
      ['group:', 'lea'],
      ['as typed', '\r'],
      ['Role name:', 'AUDIT'],
      ['AUDIT', '\r'],
    ]);
    expect(outcome).toMatchObject({ code: 0, out: '{}\n' });
    expect(outcome.err).toContain('navigate');
    expect(writes()).toMatchObject([{ path: expect.stringContaining('/groups/leads/'), body: '{"roleName":"AUDIT"}' }]);
  });

  test.each([
    ['Ctrl-C', 130, '\u0003'],
    ['Ctrl-D', 10, '\u0004'],
  ])('%s sends nothing and exits with %d', async (_name, code, key) => {
    const before = writes().length;
    const outcomes = await Promise.all([
      typed(['users', 'create'], [['mail', key]]),
      typed(['groups', 'delete', 'ops'], [['(y/N)', key]]),
    ]);
    expect(outcomes.map((outcome) => outcome.code)).toEqual([code, code]);
    expect(writes()).toHaveLength(before);
  });

  test.each([
    ['y\r', 0, 1],
    ['\r', 1, 0],
    ['n\r', 1, 0],
  ])('a delete prompt with the reply %j exits with %i', async (reply, code, deleted) => {
    const before = writes().length;
    const outcome = await typed(['groups', 'delete', 'ops'], [['(y/N)', reply]]);
    expect(stripVTControlCharacters(outcome.err)).toContain('Run `groups delete ops`? (esc cancels) (y/N)');
    expect(outcome.code).toBe(code);
    expect(
      writes()
        .slice(before)
        .map(({ method }) => method),
    ).toEqual(Array(deleted).fill('DELETE'));
  });

  test('CI never prompts and nothing is sent', async () => {
    const before = server.received.length;
    const outcome = await typed(['groups', 'get'], [], { CI: '1' });
    expect([outcome.code, outcome.err]).toEqual([10, expect.stringContaining('<group> is missing')]);
    expect(server.received).toHaveLength(before);
  });
});

test('without a terminal nothing is prompted for and nothing is sent', async () => {
  await using sandbox = await Sandbox.make();
  await using server = await startFakeServer(() => ({ json: {} }));
  const outcome = await sandbox.iam(['groups', 'delete'], { IAM_BASE_URL: server.url, IAM_TOKEN: 'token' }, 'y\n');
  expect(outcome).toMatchObject({ code: 10, out: '', err: expect.stringContaining('iam groups delete ops --yes') });
  expect(server.received).toEqual([]);
});

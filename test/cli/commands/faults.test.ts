import { describe, expect, test } from 'vitest';
import { errorResponse, startFakeServer } from '../../client/fake-server.ts';
import { createScriptedPrompter } from '../prompts/scripted-prompter.ts';
import { iam } from '../run-cli.ts';

const rule = { id: 'f1', operation: 'groups.list', effect: { status: 503, body: 'html' }, matched: 2, applied: 1 };

describe('faults', () => {
  test('add without an effect asks for a fault with a name at a terminal', async () => {
    await using server = await startFakeServer(() => ({ status: 201, json: rule }));
    const { prompter, questions } = createScriptedPrompter('gateway-502');
    const { code } = await iam(['faults', 'add', '--times', '1'], { url: server.url, columns: 80, prompter });
    expect([code, questions.length]).toEqual([0, 1]);
    expect(JSON.parse(server.received.at(-1)?.body ?? '')).toEqual({ preset: 'gateway-502', times: 1 });
  });

  test('list prints each fault with its effect', async () => {
    await using server = await startFakeServer(() => ({ json: [rule] }));
    const { code, out } = await iam(['faults', 'list'], server);
    expect([code, out]).toEqual([
      0,
      'ID  OPERATION    EFFECT                MATCHED  APPLIED\nf1  groups.list  status=503 body=html  2        1\n',
    ]);
  });

  test('add sends the options', async () => {
    await using server = await startFakeServer(({ path }) => {
      const isUser = path.includes('/user');
      const client = [{ clientId: 'billing' }];
      if (path.startsWith('/_iam/clients')) return { json: path.includes('billing') ? client : [] };
      if (isUser) return path.includes('?') ? { json: [] } : errorResponse(404, 'USER_NOT_FOUND');
      return { status: 201, json: rule };
    });
    const add = (...words: string[]) => iam(['faults', 'add', ...words, '-o', 'name'], server);
    expect(await add('--operation', 'groups.list', '--nth', '3', '--fail', '503')).toMatchObject({
      code: 0,
      out: 'f1\n',
    });
    await add(
      '--caller',
      'billing',
      '--probability',
      '0.1',
      '--seed',
      '7',
      '--times',
      '2',
      '--latency',
      '2s',
      '--jitter',
      '5ms',
    );
    expect(await add('--caller', 'unknown', '--fail', '503')).toMatchObject({
      code: 3,
      err: expect.stringContaining('User or client "unknown" not found'),
    });
    await add('--every', '2', '--drop', 'after', '--yes');
    await add('--operation', 'groups.list', '--rotate-key');
    await add('--target', 'jwks', '--fail', '502', '--body', 'html', '--retry-after', '30');
    await add('--preset', 'next-login-fails', '--times', '2');
    const sent = server.received.filter(({ method }) => method === 'POST');
    expect(sent.map(({ body }) => JSON.parse(body))).toEqual([
      { operation: 'groups.list', nth: 3, effect: { status: 503 } },
      { caller: 'billing', probability: 0.1, seed: 7, times: 2, effect: { latency: '2s', jitter: '5ms' } },
      { every: 2, effect: { drop: 'after' } },
      { operation: 'groups.list', effect: { rotateKey: true } },
      { target: 'jwks', effect: { status: 502, retryAfter: 30, body: 'html' } },
      { preset: 'next-login-fails', times: 2 },
    ]);
  });

  test.each([
    [['--fail', '503'], 10],
    [['--preset', 'gateway-502', '--probability', '0.5'], 10],
    [['--every', '3', '--latency', '1s'], 10],
    [['--preset', 'gateway-502', '--times', '2'], 0],
    [['--preset', 'next-login-fails'], 0],
    [['--preset', 'login-denied'], 0],
    [['--stale-keys'], 0],
    [['--nth', '2', '--fail', '503'], 0],
  ])('add %j asks if it affects everything until it is removed: exit code %i', async (words, exitCode) => {
    await using server = await startFakeServer(() => ({ status: 201, json: rule }));
    expect((await iam(['faults', 'add', ...words], server)).code).toBe(exitCode);
    expect(server.received).toHaveLength(exitCode === 0 ? 1 : 0);
  });

  test.each([
    [[]],
    [['--fail', '503', '--drop', 'after']],
    [['--jitter', '5ms']],
    [['--preset', 'jwks-down', '--fail', '503']],
    [['--preset', 'unknown']],
    [['--target', 'jwks', '--operation', 'groups.list', '--fail', '503']],
    [['--fail', 'x']],
    [['--fail', '503', '--probability', 'often']],
  ])('add rejects %j and sends nothing', async (words) => {
    await using server = await startFakeServer(() => ({ status: 201, json: rule }));
    expect((await iam(['faults', 'add', ...words], server)).code).toBe(2);
    expect(server.received).toEqual([]);
  });

  test('remove and clear delete faults', async () => {
    await using server = await startFakeServer(() => ({ status: 204 }));
    expect((await iam(['faults', 'remove', 'f1'], server)).code).toBe(0);
    expect((await iam(['faults', 'clear'], server)).code).toBe(10);
    expect((await iam(['faults', 'clear', '--yes'], server)).code).toBe(0);
    expect(server.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'DELETE /_iam/faults?id=f1',
      'DELETE /_iam/faults',
    ]);
  });
});

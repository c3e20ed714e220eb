import { describe, expect, test } from 'vitest';
import { startFakeServer } from '../../client/fake-server.ts';
import { iam } from '../run-cli.ts';

const session = { sessionId: 's1', userId: 'u1', clientId: 'app', level: 'AUTH-BASIC', renewable: true };

test('sessions list sends the filters and prints the main columns', async () => {
  await using server = await startFakeServer(() => ({ json: [session] }));
  const { out } = await iam(['sessions', 'list', '--user-id', 'u1', '--client-id', 'app'], server);
  expect(out).toBe('SESSION ID  USER ID  CLIENT ID  LEVEL\ns1          u1       app        AUTH-BASIC\n');
  expect(server.received[0]?.path).toBe('/_iam/sessions?userId=u1&clientId=app&limit=1000');
  expect((await iam(['session', 'ls', '-o', 'wide'], server)).out).toContain('RENEWABLE');
});

describe('sessions end', () => {
  test.each([
    [['s1'], 'sessionId=s1'],
    [['--user-id', 'u1'], 'userId=u1'],
    [['--client-id', 'app'], 'clientId=app'],
  ])('%j ends sessions after confirmation', async (words, query) => {
    await using server = await startFakeServer(() => ({ json: { ended: 2 } }));
    const unasked = await iam(['sessions', 'end', ...words], server);
    expect([unasked.code, server.received]).toEqual([10, []]);
    expect(await iam(['sessions', 'end', ...words, '--yes', '-o', 'json'], server)).toEqual({
      code: 0,
      out: '{\n  "ended": 2\n}\n',
      err: '',
    });
    expect(server.received).toMatchObject([{ method: 'DELETE', path: `/_iam/sessions?${query}` }]);
  });

  test.each([[[]], [['s1', '--user-id', 'u1']], [['--user-id', 'u1', '--client-id', 'app']]])(
    '%j is rejected and sends nothing',
    async (words) => {
      await using server = await startFakeServer(() => ({ json: { ended: 0 } }));
      expect((await iam(['sessions', 'end', ...words, '--yes'], server)).code).toBe(2);
      expect(server.received).toEqual([]);
    },
  );
});

describe('keys rotate', () => {
  test('creates a new key, and prints how long the previous ones stay', async () => {
    const json = { kid: 'k2', retired: [{ kid: 'k1', until: '2026-03-01T13:01:00.000Z' }] };
    await using server = await startFakeServer(() => ({ json }));
    expect(await iam(['keys', 'rotate'], server)).toMatchObject({ code: 10, out: '' });
    expect(server.received).toEqual([]);
    const outcome = await iam(['keys', 'rotate', '--yes', '-o', 'json'], server);
    expect([outcome.code, JSON.parse(outcome.out)]).toEqual([0, json]);
    expect(server.received).toMatchObject([{ method: 'POST', path: '/_iam/keys/rotate' }]);
    const { out } = await iam(['keys', 'rotate', '--yes'], server);
    expect(out).toBe('kid  k2\n\nretired\n  UNTIL                     KID\n  2026-03-01T13:01:00.000Z  k1\n');
  });

  test('does not change `iam keys`', async () => {
    await using server = await startFakeServer(() => ({ json: { keys: [{ kid: 'k1', kty: 'EC' }] } }));
    expect((await iam(['keys', '-o', 'name'], server)).out).toBe('k1\n');
    expect(server.received).toMatchObject([{ method: 'GET', path: '/security/iam/v1/keys' }]);
    expect((await iam(['keys', 'nonsense'], server)).code).toBe(2);
  });
});

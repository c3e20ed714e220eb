import { describe, expect, test } from 'vitest';
import { startFakeServer } from '../../client/fake-server.ts';
import { iam } from '../run-cli.ts';

const issued = { accessToken: 'a.b.c', claims: { sub: 'ann' }, clientId: 'web', userId: 'ann', sessionId: 's1' };

describe('token issue', () => {
  test('sends the options, and prints the token', async () => {
    await using server = await startFakeServer(() => ({ status: 201, json: issued }));
    const words = [
      '--claim',
      'aud=["x","y"]',
      '--claim',
      'note=a=b',
      '--omit',
      'sub',
      '--omit',
      'exp',
      '--expires-in=-60',
    ];
    const more = ['--not-before', '5', '--alg', 'none', '--kid', 'k', '--signature', 'broken', '--level', 'AUTH-MFA'];
    const { code, out } = await iam(['token', 'issue', 'ann', ...words, ...more], server);
    expect([code, out]).toEqual([0, 'a.b.c\n']);
    expect(JSON.parse((await iam(['token', 'issue', 'ann', '-o', 'json'], server)).out)).toEqual(issued);
    expect(server.received.map(({ body }) => JSON.parse(body))).toEqual([
      {
        for: 'ann',
        level: 'AUTH-MFA',
        claims: { aud: ['x', 'y'], note: 'a=b' },
        omit: ['sub', 'exp'],
        expiresIn: -60,
        notBefore: 5,
        alg: 'none',
        kid: 'k',
        signature: 'broken',
      },
      { for: 'ann' },
    ]);
  });

  test.each([
    [['ann', '--claim', 'aud']],
    [['ann', '--omit', 'stand_in']],
    [['ann', '--alg', 'HS512']],
    [['ann', '--expires-in', 'soon']],
    [['ann', '--dry-run', '--signature', 'wrong']],
  ])('rejects %j and sends nothing', async (words) => {
    await using server = await startFakeServer(() => ({ status: 201, json: issued }));
    expect((await iam(['token', 'issue', ...words], server)).code).toBe(2);
    expect(server.received).toEqual([]);
  });
});

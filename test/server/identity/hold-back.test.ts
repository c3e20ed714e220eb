/** Guessing gets slower: what is counted, how long somebody is held back, and what ends it. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { authenticateClient } from '../../../src/server/identity/authenticate.ts';
import { createHoldBack } from '../../../src/server/identity/hold-back.ts';
import { adminClient, createFakeClock, startServer, type TestServer } from '../../harness.ts';
import { exchange, head } from '../http/raw.ts';
import { badSecret, basic, callWith, loginPath, loginWith } from './calling.ts';

function holdBack(capacity?: number) {
  const clock = createFakeClock();
  const holding = createHoldBack(clock, capacity);
  return {
    clock,
    fail(times: number, identity = 'a') {
      for (let time = 0; time < times; time += 1) holding.failed(identity);
    },
    succeed: (identity = 'a') => holding.succeeded(identity),
    /** Seconds that the identity has to wait; 0 where it may try. */
    wait(identity = 'a'): number {
      try {
        holding.check(identity);
        return 0;
      } catch (error) {
        expect(error).toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
        return Number((error as { headers: Record<string, string> }).headers['Retry-After']);
      }
    },
  };
}

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

describe('counting', () => {
  test('the tenth failure holds back, the ninth does not', () => {
    const attempts = holdBack();
    attempts.fail(9);
    expect(attempts.wait()).toBe(0);
    attempts.fail(1);
    expect(attempts.wait()).toBe(30);
  });

  test('ten count that lie within 15 minutes, however they are spread', () => {
    const spread = holdBack();
    for (let failure = 0; failure < 10; failure += 1) {
      if (failure > 0) spread.clock.advance(100);
      spread.fail(1);
    }
    expect(spread.wait()).toBe(30);
  });

  test('failures that lie further apart do not add up', () => {
    const slow = holdBack();
    for (let failure = 0; failure < 40; failure += 1) {
      slow.clock.advance(101);
      slow.fail(1);
      expect(slow.wait()).toBe(0);
    }
  });

  test('one identity does not count for another', () => {
    const attempts = holdBack();
    attempts.fail(10, 'a');
    expect([attempts.wait('a'), attempts.wait('b')]).toEqual([30, 0]);
  });

  test('a right secret clears the count', () => {
    const attempts = holdBack();
    attempts.fail(9);
    attempts.succeed();
    attempts.fail(9);
    expect(attempts.wait()).toBe(0);
  });
});

describe('the delay', () => {
  test('runs down, and then one attempt is free', () => {
    const attempts = holdBack();
    attempts.fail(10);
    attempts.clock.advance(29);
    expect(attempts.wait()).toBe(1);
    attempts.clock.advance(0.5);
    expect(attempts.wait()).toBe(1);
    attempts.clock.advance(0.5);
    expect(attempts.wait()).toBe(0);
  });

  test('doubles with each further failure, to 15 minutes', () => {
    const attempts = holdBack();
    attempts.fail(9);
    const waits: number[] = [];
    for (let failure = 0; failure < 8; failure += 1) {
      attempts.fail(1);
      waits.push(attempts.wait());
      attempts.clock.advance(waits.at(-1) ?? 0);
      expect(attempts.wait()).toBe(0);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
  });

  test('is forgotten with the count after 15 quiet minutes, or by a right secret', () => {
    const attempts = holdBack();
    attempts.fail(10);
    attempts.clock.advance(30 + 901);
    attempts.fail(9);
    expect(attempts.wait()).toBe(0);
    attempts.fail(1);
    expect(attempts.wait()).toBe(30);
    attempts.clock.advance(30);
    attempts.succeed();
    attempts.fail(9);
    expect(attempts.wait()).toBe(0);
  });
});

describe('memory', () => {
  test('is bounded: the identity that failed longest ago is forgotten', () => {
    const attempts = holdBack(3);
    for (const identity of ['a', 'b', 'c']) attempts.fail(10, identity);
    expect([attempts.wait('a'), attempts.wait('b'), attempts.wait('c')]).toEqual([30, 30, 30]);
    attempts.fail(1, 'd');
    expect([attempts.wait('a'), attempts.wait('b'), attempts.wait('c')]).toEqual([0, 30, 30]);
  });

  test('does not grow with the length of the names that are tried', () => {
    const attempts = holdBack(5000);
    const before = heapInUse();
    for (let name = 0; name < 5000; name += 1) attempts.fail(1, Buffer.alloc(12_000, `client:${name}:`).toString());
    expect(heapInUse() - before).toBeLessThan(10_000_000);
    const long = `client:${'x'.repeat(12_000)}`;
    attempts.fail(10, long);
    expect([attempts.wait(long), attempts.wait(`${long}y`)]).toEqual([30, 0]);
  });
});

describe('at the door', () => {
  async function guess(server: TestServer, clientId: string, times: number) {
    for (let time = 0; time < times; time += 1)
      expect(await loginWith(server, [basic(clientId, 'wrong')])).toEqual(badSecret);
  }

  test('held back means held back, also with the right secret, until the delay is over', async () => {
    await using server = await startServer();
    const { clientId, clientSecret } = await server.makeClient();
    const right = basic(clientId, clientSecret);
    await guess(server, clientId, 10);
    const answer = await fetch(`${server.url}${loginPath}`, {
      method: 'POST',
      headers: { authorization: right.slice(15) },
    });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '30']);
    expect(await answer.json()).toEqual([{ code: 'TOO_MANY_ATTEMPTS', message: expect.any(String) }]);
    server.clock.advance(30);
    expect(await loginWith(server, [right])).toMatchObject({ status: 200 });
    await guess(server, clientId, 9);
    expect(await loginWith(server, [right])).toMatchObject({ status: 200 });
  });

  test('an unknown client is held back just the same', async () => {
    await using server = await startServer();
    const { clientId } = await server.makeClient();
    const answers: unknown[] = [];
    for (const name of [clientId, 'nobody']) {
      await guess(server, name, 10);
      answers.push(await loginWith(server, [basic(name, 'wrong')]));
      server.clock.advance(30);
      answers.push(await loginWith(server, [basic(name, 'wrong')]));
    }
    expect(answers.slice(2)).toEqual(answers.slice(0, 2));
    expect(answers).toMatchObject([{ status: 429 }, { status: 401 }, {}, {}]);
  });

  test('every door counts: the login and Basic on any operation', async () => {
    await using server = await startServer();
    const { clientId } = await server.makeClient();
    await guess(server, clientId, 5);
    for (let time = 0; time < 5; time += 1)
      expect(await callWith(server, [basic(clientId, 'wrong')])).toEqual(badSecret);
    expect(await callWith(server, [basic(clientId, 'wrong')])).toMatchObject({ status: 429 });
  });

  test('tokens and keys go on while the secret is held back', async () => {
    await using server = await startServer();
    const { clientId } = adminClient;
    const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'test', clientId } });
    await guess(server, clientId, 10);
    expect(await callWith(server, [`X-Api-Key: ${apiKey}`])).toMatchObject({ status: 200 });
    await expect(server.admin.groups.list()).resolves.toBeDefined();
  });

  test('guesses at the same time count one by one', async () => {
    await using server = await startServer();
    const { clientId, clientSecret } = await server.makeClient();
    const tries = Array.from({ length: 100 }, () =>
      authenticateClient(server.world, clientId, 'wrong').catch((error: { code: string }) => error.code),
    );
    const codes = await Promise.all(tries);
    expect(codes.filter((code) => code === 'CREDENTIALS_INVALID')).toHaveLength(10);
    expect(codes.filter((code) => code === 'TOO_MANY_ATTEMPTS')).toHaveLength(90);
    await expect(authenticateClient(server.world, clientId, clientSecret)).rejects.toMatchObject({
      code: 'TOO_MANY_ATTEMPTS',
    });
  });

  test('guesses in one packet count one by one', async () => {
    await using server = await startServer();
    const { clientId } = await server.makeClient();
    const one = head(`POST ${loginPath} HTTP/1.1`, 'Host: localhost', 'Content-Length: 0', basic(clientId, 'wrong'));
    const last = head(
      `POST ${loginPath} HTTP/1.1`,
      'Host: localhost',
      'Content-Length: 0',
      'Connection: close',
      basic(clientId, 'wrong'),
    );
    const statuses = (await exchange(server, one.repeat(49) + last)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
  });

  test('right secrets at the same time are all taken', async () => {
    await using server = await startServer();
    const { clientId, clientSecret } = await server.makeClient();
    const tries = Array.from({ length: 50 }, () => authenticateClient(server.world, clientId, clientSecret));
    expect((await Promise.all(tries)).every((client) => client.clientId === clientId)).toBe(true);
  });
});

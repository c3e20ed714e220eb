import { describe, expect, test } from 'vitest';
import { epochSeconds } from '../../../../src/server/lib/clock.ts';
import { lastCode, messagesTo } from '../otp-inbox.ts';
import { dora, mobiles, retrieve, startWithLogons, stopMainframe } from './logon-fixtures.ts';

test('sends a code to the mobile number of the logon and returns it masked', async () => {
  await using server = await startWithLogons();
  const response = await retrieve(server, 'free1');
  expect(response).toEqual({ hash: expect.any(String), contact: '***0101', expiresIn: '600' });
  expect(await messagesTo(server)).toMatchObject([
    { to: mobiles.FREE1, channel: 'sms', purpose: 'legacy-recovery', codeId: response.hash },
  ]);
  expect(await lastCode(server, mobiles.FREE1)).toMatch(/^\d{6}$/);
});

test('sends the code by e-mail if the logon has no mobile number', async () => {
  await using server = await startWithLogons();
  await expect(retrieve(server, 'MAIL1')).resolves.toMatchObject({ contact: 'm***@mainframe.example' });
  expect(await messagesTo(server)).toMatchObject([{ to: 'mail@mainframe.example', channel: 'email' }]);
});

test('uses the contacts in the mainframe, not those of the user', async () => {
  await using server = await startWithLogons();
  await retrieve(server, 'DORA1');
  expect((await messagesTo(server)).map(({ to }) => to)).toEqual([mobiles.DORA1]);
});

describe('an unreachable logon', () => {
  test.each(['UNKNOWN', 'BARE1'])('has the same response in every request: %s', async (logon) => {
    await using server = await startWithLogons();
    const first = await retrieve(server, logon);
    const again = await retrieve(server, logon.toLowerCase());
    expect(first).toEqual({ hash: expect.any(String), contact: expect.stringContaining('***'), expiresIn: '600' });
    expect(again.contact).toBe(first.contact);
    expect(again.hash).not.toBe(first.hash);
    expect(await messagesTo(server)).toEqual([]);
  });

  test('returns one kind of contact or the other, like reachable logons', async () => {
    await using server = await startWithLogons();
    const returned = await Promise.all(
      Array.from({ length: 20 }, (_, at) => retrieve(server, `NONE${at}`).then(({ contact }) => contact.includes('@'))),
    );
    expect(new Set(returned)).toEqual(new Set([true, false]));
  });

  test('includes a logon whose user is locked, with the same response as before', async () => {
    await using server = await startWithLogons();
    const before = await retrieve(server, 'DORA1');
    await server.admin.userIdentities.lock({ body: { userId: dora.userId } });
    const sent = (await messagesTo(server)).length;
    await expect(retrieve(server, 'DORA1')).resolves.toMatchObject({ contact: before.contact, expiresIn: '600' });
    expect(await messagesTo(server)).toHaveLength(sent);
  });
});

test('sends five codes an hour for one name, known or unknown, then returns 429 and sends nothing', async () => {
  await using server = await startWithLogons();
  for (const logon of ['FREE1', 'UNKNOWN', 'BARE1']) {
    for (let count = 0; count < 5; count += 1) await retrieve(server, logon);
    const before = await server.dump();
    await expect(retrieve(server, logon)).rejects.toMatchObject({
      status: 429,
      code: 'TOO_MANY_CODES',
      retryAfter: 3600,
    });
    expect(await server.dump()).toEqual(before);
  }
  expect(await messagesTo(server)).toHaveLength(5);
  server.clock.advance(3600);
  await expect(retrieve(server, 'FREE1')).resolves.toBeDefined();
});

test('sends five messages to a mobile number that two logons share, with the same responses', async () => {
  await using server = await startWithLogons();
  await server.appContext.store.transaction(async (tx) => {
    const row = await tx.logons.get('FREE1');
    if (row) await tx.logons.insert({ ...row, logon: 'TWIN1' });
  });
  for (const logon of ['FREE1', 'TWIN1', 'FREE1', 'TWIN1', 'FREE1', 'TWIN1', 'FREE1'])
    await expect(retrieve(server, logon)).resolves.toMatchObject({ contact: '***0101' });
  expect(await messagesTo(server)).toHaveLength(5);
});

test('voids the previous code with a new one', async () => {
  await using server = await startWithLogons();
  await retrieve(server, 'FREE1');
  const { hash } = await retrieve(server, 'FREE1');
  expect(await server.appContext.store.codes.list()).toMatchObject([
    { codeId: hash, expiresAt: epochSeconds(server.clock) + 600 },
  ]);
});

test('stores the code in no readable form', async () => {
  await using server = await startWithLogons();
  await retrieve(server, 'FREE1');
  const code = await lastCode(server, mobiles.FREE1);
  expect(JSON.stringify(await server.dump()) + server.log.join('')).not.toContain(`"${code}"`);
});

test('returns 503 when the mainframe does not respond, and sends and counts nothing', async () => {
  await using server = await startWithLogons();
  const restoreMainframe = stopMainframe(server);
  const before = await server.dump();
  for (const logon of ['FREE1', 'UNKNOWN'])
    await expect(retrieve(server, logon)).rejects.toMatchObject({ status: 503, code: 'MAINFRAME_UNAVAILABLE' });
  expect(await server.dump()).toEqual(before);
  restoreMainframe();
  await expect(retrieve(server, 'FREE1')).resolves.toBeDefined();
});

import { expect, test } from 'vitest';
import { appClientId, startServer } from '../../../harness.ts';
import { lastCode, messagesTo, readText } from '../otp-inbox.ts';
import { identify, retrieve, signUp } from './flows.ts';
import { type ApiResponse, alice, postJson, startWith } from './login-fixtures.ts';

const userEmail = 'bob@example.com';
const userMobile = { regionCode: 55, areaCode: 11, phoneNumber: 987654321 };

test('sends a code to an e-mail address or a mobile number and returns it masked', async () => {
  await using server = await startServer();
  const expiresIn = '600';
  expect(await identify(server, { userEmail })).toMatchObject({
    status: 201,
    json: { contactType: 'EMAIL', contact: 'b***@example.com', expiresIn },
  });
  expect(await identify(server, { userMobile })).toMatchObject({
    status: 201,
    json: { contactType: 'MOBILE', contact: '***4321', expiresIn },
  });
  const [toEmail, toMobile, ...more] = await messagesTo(server);
  expect(more).toEqual([]);
  expect(toEmail).toMatchObject({ to: userEmail, channel: 'email', purpose: 'sign-up' });
  expect(toMobile).toMatchObject({ to: '+5511987654321', channel: 'sms', purpose: 'sign-up' });
  for (const message of [toEmail, toMobile]) if (message) expect(readText(server, message)).toMatch(/ \d{6}\. /);
});

test('requires exactly one contact', async () => {
  await using server = await startServer();
  const before = await server.dump();
  for (const contact of [{}, { userEmail, userMobile }])
    expect(await identify(server, contact)).toMatchObject({ status: 422, json: [{ code: 'CONTACT_AMBIGUOUS' }] });
  expect(await server.dump()).toEqual(before);
});

test('returns the same response for an unknown contact, and for contacts of active and locked users', async () => {
  const locked = { userId: 'locked', userName: 'locked', userEmail: 'a@example.com', locked: true };
  await using server = await startWith([locked]);
  const responses: ApiResponse[] = [];
  for (const email of [alice.userEmail, 'albert@example.com', 'adam@example.com'])
    responses.push(await identify(server, { userEmail: email }));
  expect(responses).toEqual(responses.map(() => responses[0]));
  expect(await messagesTo(server)).toHaveLength(3);
});

test('sends five codes an hour to one contact in any spelling, and returns when the next is possible', async () => {
  await using server = await startServer();
  for (const email of [userEmail, 'BOB@example.com', userEmail, 'Bob@Example.com', userEmail]) {
    expect(await identify(server, { userEmail: email })).toMatchObject({ status: 201 });
    server.clock.advance(60);
  }
  const before = await server.dump();
  const response = await identify(server, { userEmail });
  expect(response).toMatchObject({
    status: 429,
    json: [{ code: 'TOO_MANY_CODES' }],
    headers: { 'retry-after': String(3600 - 300) },
  });
  expect(await server.dump()).toEqual(before);
  expect(await identify(server, { userMobile })).toMatchObject({ status: 201 });
  server.clock.advance(3600 - 300);
  expect(await identify(server, { userEmail })).toMatchObject({ status: 201 });
  expect(await identify(server, { userEmail })).toMatchObject({ status: 429 });
});

test('sends five codes for 100 concurrent requests, and the last one is valid', async () => {
  await using server = await startServer();
  const responses = await Promise.all(Array.from({ length: 100 }, () => identify(server, { userEmail })));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(95);
  expect(await messagesTo(server, userEmail)).toHaveLength(5);
  expect(await signUp(server, { token: await lastCode(server, userEmail) })).toMatchObject({ status: 201 });
});

test('counts separately from recovery, so that its limit does not reveal whose address it is', async () => {
  await using server = await startWith();
  for (let time = 0; time < 5; time += 1) await identify(server, { userEmail: alice.userEmail });
  const [known, unknown] = [await retrieve(server, 'Alice'), await retrieve(server, 'Nobdy')];
  expect([known.status, known.headers]).toEqual([unknown.status, unknown.headers]);
  expect(await messagesTo(server, alice.userEmail)).toHaveLength(6);
});

test('sends nothing for a third-party client', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient({ party: '3RDPARTY' });
  for (const client of [clientId, 'unknown'])
    expect(await postJson(server, `/user-identities/identification?clientId=${client}`, { userEmail })).toMatchObject({
      status: 401,
    });
  expect(await messagesTo(server)).toEqual([]);
  await expect(
    server.as().userIdentities.identification({ query: { clientId: appClientId }, body: { userEmail } }),
  ).resolves.toBeDefined();
});

/** Codes are bound to one flow and one owner: any other use of a correct code fails like a wrong one. */
import { expect, test } from 'vitest';
import type { TestServer } from '../../../harness.ts';
import { createWrongCode, lastCode } from '../otp-inbox.ts';
import { identify, recoveryCode, rejectedCode, reset, retrieve, signUp } from './flows.ts';
import { type ApiResponse, alice, startWith } from './login-fixtures.ts';

const carol = { userId: 'carol', userName: 'carol', userEmail: 'carol@example.com' };
const bob = 'bob@example.com';

/** How each flow obtains a code, and how each uses it. */
const codes: Record<string, (server: TestServer) => Promise<string>> = {
  'recovery of Alice': (server) => recoveryCode(server),
  'recovery of Carol': async (server) => {
    await retrieve(server, 'carol');
    return lastCode(server, carol.userEmail);
  },
  'sign-up of Bob': (server) => requestSignUpCode(server, bob),
  "sign-up with Alice's e-mail": (server) => requestSignUpCode(server, alice.userEmail),
};

const uses: Record<string, (server: TestServer, code: string) => Promise<ApiResponse>> = {
  'recovery of Alice': (server, code) => reset(server, code),
  'recovery of Carol': (server, code) => reset(server, code, { username: 'carol' }),
  'sign-up of Bob': (server, code) => signUp(server, { token: code }),
  "sign-up with Alice's e-mail": (server, code) => signUp(server, { token: code, userEmail: alice.userEmail }),
};

async function requestSignUpCode(server: TestServer, userEmail: string): Promise<string> {
  await identify(server, { userEmail });
  return lastCode(server, userEmail);
}

const pairs = Object.keys(codes).flatMap((from) => Object.keys(uses).map((to): [string, string] => [from, to]));

test.each(pairs.filter(([from, to]) => from !== to))('the code of %s is rejected for %s', async (from, to) => {
  await using server = await startWith([carol]);
  const code = (await codes[from]?.(server)) ?? '';
  // If the other flow has sent a separate code, the two are equal once in a million.
  const own = (await codes[to]?.(server)) ?? '';
  if (own === code) return;
  const users = await server.appContext.store.users.list();
  expect(await uses[to]?.(server, code)).toMatchObject(rejectedCode);
  expect(await server.appContext.store.users.list()).toEqual(users);
  const right = await uses[from]?.(server, code);
  // Alice has a verified address, so no other user can be created with it, even with the correct code.
  expect(right).toMatchObject(
    from.includes('e-mail') ? { status: 412, json: [{ code: 'LOGIN_NAME_TAKEN' }] } : { status: 201 },
  );
});

test('failures of one flow do not throttle others, and a new code does not clear them', async () => {
  await using server = await startWith([carol]);
  for (let guess = 0; guess < 5; guess += 1) {
    const wrong = createWrongCode(await recoveryCode(server));
    expect(await reset(server, wrong)).toMatchObject(rejectedCode);
  }
  const last = await lastCode(server, alice.userEmail);
  expect(await reset(server, last)).toMatchObject({ status: 429, json: [{ code: 'CODE_FAILURES' }] });
  // For another name of the user the code is also rejected, as for any other name.
  expect(await reset(server, last, { username: alice.userId })).toMatchObject(rejectedCode);
  const carols = (await codes['recovery of Carol']?.(server)) ?? '';
  expect(await reset(server, carols, { username: 'carol' })).toMatchObject({ status: 201 });
  const bobs = await requestSignUpCode(server, bob);
  expect(await signUp(server, { token: bobs })).toMatchObject({ status: 201 });
});

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startServer } from 'iam-standin';
import { createSignIn } from './sign-in.mjs';

const seed = {
  users: [{ userName: 'ann', userEmail: 'ann@example.com', password: 'correct horse battery staple' }],
  groups: [{ groupName: 'auditors', roles: ['IAM_ADMIN_READ_ONLY'] }],
};

let iam;
let program;

before(async () => {
  iam = await startServer({ seed });
  program = createSignIn({ baseUrl: iam.baseUrl, clientId: iam.credentials.appClientId });
});
beforeEach(() => iam.reset());
after(() => iam.stop());

test('accepts the correct password and rejects a wrong one', async () => {
  assert.ok(await program.signIn('ann', 'correct horse battery staple'));
  assert.equal(await program.signIn('ann', 'wrong'), undefined);
});

test('sets a new password with the code from the message', async () => {
  await program.forgotPassword('ann');
  const { code } = await iam.inbox.waitFor({ to: 'ann@example.com' });
  assert.ok((await program.resetPassword('ann', code, 'another horse battery staple')).ok);
  assert.ok(await program.signIn('ann', 'another horse battery staple'));
});

test('a code expires after ten minutes', async () => {
  await program.forgotPassword('ann');
  const { id, code } = await iam.inbox.waitFor({ to: 'ann@example.com' });
  await iam.clock.toExpiry(id);
  assert.equal((await program.resetPassword('ann', code, 'another horse battery staple')).ok, false);
});

// A server for one test. Node 20 has no `await using`: `finally` stops the server, also after a failure.
test('does not sign in a locked user', async () => {
  const own = await startServer({ seed: { users: [{ ...seed.users[0], locked: true }] } });
  try {
    const { signIn } = createSignIn({ baseUrl: own.baseUrl, clientId: own.credentials.appClientId });
    assert.equal(await signIn('ann', 'correct horse battery staple'), undefined);
  } finally {
    await own.stop();
  }
});

// With the context of the test, the server stops when the test ends.
test('signs in until an administrator locks the user', async (t) => {
  const own = await startServer(t, { seed: { users: [{ ...seed.users[0], userId: 'ann' }] } });
  const { signIn } = createSignIn({ baseUrl: own.baseUrl, clientId: own.credentials.appClientId });
  assert.ok(await signIn('ann', 'correct horse battery staple'));
  await own.client.userIdentities.lock({ body: { userId: 'ann' } });
  assert.equal(await signIn('ann', 'correct horse battery staple'), undefined);
});

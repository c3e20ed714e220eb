/** Streams, long polls and exports outlast a revocation: their caller is checked again before anything is sent. */
import { describe, expect, test, vi } from 'vitest';
import { controlPrefix } from '../../../src/contract/prefix.ts';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import { emailContact } from '../../../src/server/messaging/contacts.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { userToken } from '../operations/user-token.ts';
import { send } from './control-client.ts';
import { sendTestCode } from './routes/inbox/messages.ts';
import { createFakeTimer, openStream } from './routes/inbox/sse-client.ts';

const remote = { host: '0.0.0.0', 'allow-remote': true, 'disable-rate-limits': true };
const former = 'former-administrator';

async function signIn(server: TestServer, userId = former) {
  const roles = ['ADMIN', 'IAM_ADMIN_MAINTENANCE'];
  const token = await userToken(server, { userId, roles, level: 'AUTH-MFA' });
  return { Authorization: `Bearer ${token}` };
}

function sendCode({ appContext }: TestServer): Promise<string> {
  return sendTestCode(appContext, { purpose: 'recovery', subject: 'user:victim' }, emailContact('victim@example.com'));
}

async function lock({ appContext: { store } }: TestServer, userId = former): Promise<void> {
  await store.transaction(async (tx) => {
    const user = await tx.users.get(userId);
    if (user) await tx.users.replace({ ...user, locked: true });
  });
}

/** Takes IAM_ADMIN_MAINTENANCE from the user. */
async function leaveReader({ appContext: { store } }: TestServer): Promise<void> {
  await store.transaction(async (tx) => {
    const group = (await tx.groups.list()).find(({ groupName }) => groupName === `roles-of-${former}`);
    if (group) await tx.groups.replace({ ...group, roles: ['ADMIN'] });
  });
}

describe('a caller that loses its rights while it reads a stream', () => {
  test.each([
    ['/_iam/inbox/events', 'locked', lock, 401, 'TOKEN_INVALID'],
    ['/_iam/inbox/events', 'without the role', leaveReader, 403, 'ROLE_MISSING'],
    ['/_iam/events?topics=inbox', 'locked', lock, 401, 'TOKEN_INVALID'],
    ['/_iam/events?topics=inbox', 'without the role that shows codes', leaveReader, 403, 'ROLE_MISSING'],
  ] as const)('of %s, %s, gets no further event but the reason', async (path, _state, revoke, status, code) => {
    await using server = await startServer({ flags: remote });
    using stream = await openStream(server, path, await signIn(server));
    await sendCode(server);
    await stream.events(1);
    await revoke(server);
    await sendCode(server);
    expect(await stream.ended).toBe(true);
    const events = await stream.events(Number.POSITIVE_INFINITY);
    expect(events.map(({ name }) => name === 'end')).toEqual([false, true]);
    expect(events[1]?.data).toMatchObject({ end: { status, errors: [{ code }] } });
  });

  test('is informed within 15 seconds if nothing happens', async () => {
    const timer = createFakeTimer();
    await using server = await startServer({ flags: remote, timer });
    using stream = await openStream(server, '/_iam/inbox/events', await signIn(server));
    await stream.comments(1);
    timer.pass(15_000);
    expect(await stream.comments(2)).toBe(2);
    await lock(server);
    timer.pass(15_000);
    expect(await stream.ended).toBe(true);
    expect(await stream.events(1)).toMatchObject([{ data: { end: { status: 401 } } }]);
  });

  test('gets an error from the client', async () => {
    await using server = await startServer({ flags: remote });
    const token = await userToken(server, {
      userId: former,
      roles: ['ADMIN', 'IAM_ADMIN_MAINTENANCE'],
      level: 'AUTH-MFA',
    });
    const after = await sendCode(server);
    await sendCode(server);
    const events = server.as({ token }).events('/_iam/inbox/events', { query: { after } });
    expect((await events.next()).done).toBe(false);
    await lock(server);
    await sendCode(server);
    await expect(events.next()).rejects.toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
  });

  test('is informed when the token ends', async () => {
    await using server = await startServer({ flags: remote });
    using stream = await openStream(server, '/_iam/inbox/events', await signIn(server));
    server.clock.advance(3601);
    await sendCode(server);
    expect(await stream.events(1)).toMatchObject([{ data: { end: { errors: [{ code: 'TOKEN_INVALID' }] } } }]);
  });
});

const examples: Readonly<Record<string, string>> = { name: 'page.css', role: 'ADMIN' };

function pathOf({ path }: (typeof controlRoutes)[number]): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => examples[name] ?? 'some');
  return `${controlPrefix}${filled}${path === '/sessions' ? '?userId=some' : ''}`;
}

const bodies: Readonly<Record<string, object>> = { 'control.names': { ids: ['some'] } };

const reads = controlRoutes.filter(
  ({ audit, response, rolesText }) => rolesText !== 'none' && (audit.kind === 'read' || 'alternatives' in response),
);

test('no read of the control plane sends anything to a caller that is locked while it is handled', async () => {
  await using server = await startServer({ flags: remote });
  for (const route of reads) {
    const headers = { ...(await signIn(server, `user-of-${route.id}`)), 'X-Requested-With': 'XMLHttpRequest' };
    const { handle } = route;
    const handled = vi.spyOn(route, 'handle').mockImplementationOnce(async (...input) => {
      await lock(server, `user-of-${route.id}`);
      // What a handler finds does not matter here: it might be any secret.
      return 'stream' in route.response ? handle(...input) : ({ contentType: 'text/plain', text: 'SECRET' } as never);
    });
    const { status, body } = await send(server, pathOf(route), {
      method: route.method,
      headers,
      body: bodies[route.id],
    });
    expect([route.id, handled.mock.calls.length, status, body]).toMatchObject([
      route.id,
      1,
      401,
      [{ code: 'TOKEN_INVALID' }],
    ]);
    handled.mockRestore();
  }
});

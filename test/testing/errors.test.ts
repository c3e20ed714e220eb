import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ClientError,
  IamError,
  type IamServer,
  InputError,
  SeedError,
  SettingError,
  StandinError,
  startServer,
  WaitError,
} from '../../src/testing/index.ts';

const quick = { settings: { 'fast-passwords': true } } as const;

let iam: IamServer;
beforeAll(async () => {
  iam = await startServer(quick);
});
afterAll(() => iam.stop());

const catchError = (work: () => unknown): Promise<Error> =>
  Promise.resolve()
    .then(work)
    .then(
      () => expect.unreachable('It did not fail.'),
      (error: Error) => error,
    );

describe('the errors of the library', () => {
  test.each<[string, (server: IamServer) => unknown, typeof IamError | typeof SeedError | typeof ClientError, string]>([
    ['a missing user', (server) => server.signIn('unknown'), IamError, 'USER_NOT_FOUND'],
    ['a wrong rule', (server) => server.faults.add({ effect: {} }), IamError, 'FIELD_VALUE'],
    ['a wrong seed', (server) => server.seed({ users: [{ userId: '?' }] }), SeedError, 'SEED_INVALID'],
    ['a wrong option', () => startServer({ port: -1 }), SettingError as never, 'SETTING_INVALID'],
    [
      'a wait in vain',
      (server) => server.requests.waitFor({ operation: 'groups.create', timeout: 1 }),
      WaitError as never,
      'WAIT_TIMEOUT',
    ],
    [
      'a wrong level',
      (server) => server.signIn('admin', { level: 'MFA' as never }),
      InputError as never,
      'INPUT_INVALID',
    ],
    ['a wrong duration', (server) => server.clock.advance('10 min'), InputError as never, 'INPUT_INVALID'],
    ['a clock out of range', (server) => server.clock.advance(1e20), InputError as never, 'INPUT_INVALID'],
    ['a missing token', (server) => server.clock.toExpiry('none'), IamError, 'EXPIRY_NOT_FOUND'],
    [
      'an error response',
      (server) => server.client.groups.get({ params: { groupId: 'none' } }),
      ClientError as never,
      'GROUP_NOT_FOUND',
    ],
  ])('are one family: %s', async (_what, work, type, code) => {
    const error = await catchError(() => work(iam));
    expect(error).toBeInstanceOf(type);
    expect(error).toBeInstanceOf(StandinError);
    expect(error).toMatchObject({ code });
  });

  test('have the line of the test in their stacks', async () => {
    const signInAsUnknown = () => iam.signIn('unknown');
    expect((await catchError(signInAsUnknown)).stack).toContain('signInAsUnknown');
    const createClientOfUnknown = () => iam.as('unknown');
    const client = createClientOfUnknown();
    const listAsUnknown = () => client.groups.list();
    const { stack } = await catchError(listAsUnknown);
    expect(stack).toContain('createClientOfUnknown');
    expect(stack).toContain('listAsUnknown');
  });
});

describe('a wrong option', () => {
  test.each([
    [{ credentials: { adminClientld: 'x' } }, 'credentials: unknown option adminClientld. Did you mean adminClientId?'],
    [
      { settings: { 'user-token-lifetim': 1 } },
      'settings: unknown option user-token-lifetim. Did you mean user-token-',
    ],
    [{ settings: { 'user-token-lifetime': 0 } }, "settings['user-token-lifetime'] must be a whole number"],
    [{ credentials: { adminClientId: 'a b' } }, 'credentials.adminClientId '],
    [{ port: 70_000 }, 'port must be a whole number'],
    [{ host: '0.0.0.0' }, "host 0.0.0.0 can be reached from other machines; use settings['allow-remote']"],
    [{ clock: 'tomorrow' }, 'clock: tomorrow is not a time'],
    [{ clock: { freeze: true } }, 'clock: unknown option freeze. Accepted: at, frozen'],
    [{ log: true }, 'log: must be a function'],
    [{ signal: {} }, 'signal: must be an AbortSignal'],
    [null, 'startServer: must be an object'],
    [{ ids: 'serial' }, "ids: must be 'random' or 'sequential'"],
    [{ ids: 'sequential', store: { data: '/unused' } }, "ids: 'sequential' is for the store 'memory'"],
  ])('of startServer is named as the caller wrote it: %j', async (options, message) => {
    const error = await catchError(() => startServer(options as never));
    expect(error.message.slice(0, message.length)).toBe(message);
  });

  test.each<[string, (server: IamServer) => unknown, string]>([
    [
      'signIn',
      (server) => server.signIn('admin', { levl: 'AUTH-MFA' } as never),
      'unknown option levl. Did you mean level?',
    ],
    ['inbox.list', (server) => server.inbox.list({ too: 'x' } as never), 'unknown option too. Did you mean to?'],
    ['inbox.waitFor', (server) => server.inbox.waitFor({ purpos: 'x' } as never), 'Did you mean purpose?'],
    [
      'requests.list',
      (server) => server.requests.list({ operation: 'groups.lst' as never }),
      'did you mean groups.list?',
    ],
    [
      'requests.list',
      (server) => server.requests.list({ error: 'GROUP_NOT_FUND' as never }),
      'did you mean GROUP_NOT_FOUND?',
    ],
    ['requests.list', (server) => server.requests.list({ status: '9xx' }), 'must be a status such as 404'],
    ['requests.list', (server) => server.requests.list({ opertion: 'x' } as never), 'Did you mean operation?'],
    [
      'faults.add',
      (server) => server.faults.add({ effect: { stauts: 503 } } as never),
      'effect.stauts. Did you mean status?',
    ],
    ['tokens.issue', (server) => server.tokens.issue({ for: 'x', lifetime: 'x' } as never), 'Accepted: for, '],
    [
      'requests.waitFor',
      (server) => server.requests.waitFor({ operation: 'nonsense' as never }),
      'the id of an operation',
    ],
    ['sandboxes.create', (server) => server.sandboxes.create('a', { reus: true } as never), 'Did you mean reuse?'],
  ])('of %s is refused at once', async (_name, call, message) => {
    expect((await catchError(() => call(iam))).message).toContain(message);
  });
});

test('a wait that ends without a result says what arrived', async () => {
  await using server = await startServer(quick);
  await server.as().raw('GET', '/security/iam/v1/groups');
  const requests = await catchError(() => server.requests.waitFor({ operation: 'groups.create', timeout: 1 }));
  expect(requests.message).toMatch(/GET \/security\/iam\/v1\/groups \(groups\.list\) by \S+: 401 CREDENTIALS_MISSING$/);
  const messages = await catchError(() => server.inbox.waitFor({ to: 'ann@example.com', timeout: 1 }));
  expect(messages.message).toMatch(/^No message to ann@example\.com arrived within 1 ms\. No other message arrived\.$/);
});

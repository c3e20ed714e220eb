/** `iam login --device` against the real server: the user types the code in a browser between two polls. */
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { type IamServer, startServer } from '../../../../src/testing/index.ts';
import { createBrowser } from '../../../server/oauth/browser.ts';
import { type CliResult, type Home, test } from '../../run-cli.ts';

const user = { userId: 'ann', userName: 'ann.lee', password: 'correct horse battery staple' };

let iam: IamServer;
beforeEach(async () => {
  iam = await startServer({ seed: { users: [user] }, settings: { 'fast-passwords': true } });
});
afterEach(() => iam.stop());

interface Wait {
  readonly code: string;
  readonly number: number;
  readonly milliseconds: number;
}

/** Logs in; `during` is called at each wait between two polls. */
async function logIn(home: Home, during: (wait: Wait) => Promise<unknown>, words: readonly string[] = []) {
  const waits: number[] = [];
  let shown = '';
  const { appClientId } = iam.credentials;
  const outcome: CliResult = await home.iam(
    ['login', '--device', '--base-url', iam.url, '--client-id', appClientId, ...words],
    {
      now: Date.now,
      variables: {},
      onStderr: (text) => {
        shown += text;
      },
      pause: async (milliseconds) => {
        waits.push(milliseconds);
        iam.clock.advance(milliseconds);
        const [, code = ''] = /Code: (\S+)/.exec(shown) ?? [];
        await during({ code, number: waits.length, milliseconds });
      },
    },
  );
  return { ...outcome, waits };
}

async function decide(code: string, decision: 'allow' | 'deny'): Promise<void> {
  const browser = createBrowser();
  const login = await browser.submit(await browser.get(`${iam.url}/oauth2/device`), '', { user_code: code });
  const page = await browser.submit(login, 'password', { user_name: user.userName, password: user.password });
  await browser.submit(page, 'consent', { decision });
}

describe('a login with a browser of another machine', () => {
  test('polls until the user allows it, and stores the session', async ({ home }) => {
    const { code, out, err, waits } = await logIn(home, async (wait) => {
      if (wait.number === 2) await decide(wait.code, 'allow');
    });
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toContain(`${iam.url}/oauth2/device\n`);
    expect(err).toContain('as ann.lee.');
    expect(waits).toEqual([5000, 5000]);
    const { out: whoami } = await home.iam(['whoami', '-o', 'json'], { now: Date.now, variables: {} });
    expect(JSON.parse(whoami)).toMatchObject({ userId: 'ann', signedInBy: 'session' });
  });

  test('waits longer if the server asks for it', async ({ home }) => {
    const { waits } = await logIn(home, async ({ code, number, milliseconds }) => {
      if (number === 2) iam.clock.advance(1000 - milliseconds);
      if (number === 3) await decide(code, 'allow');
    });
    expect(waits).toEqual([5000, 5000, 10_000]);
  });

  test.for([
    ['the user denies it', ({ code }: Wait) => decide(code, 'deny'), 'The login was refused'],
    ['the code expires', async () => iam.clock.advance('11m'), 'The code has expired'],
  ] as const)('ends with 4 if %s', async ([, during, text], { home }) => {
    const { code, err, waits } = await logIn(home, during);
    expect({ code, waits: waits.length }).toEqual({ code: 4, waits: 1 });
    expect(err).toContain(text);
  });

  test('names the grant type that the client lacks, and refuses options of other logins', async ({ home }) => {
    const wait = () => Promise.reject(new Error('it waits'));
    const { adminClientId } = iam.credentials;
    const lacking = await logIn(home, wait, ['--client-id', adminClientId]);
    expect(lacking.code).toBe(4);
    const combined = await logIn(home, wait, ['--user', 'ann.lee']);
    expect(combined).toMatchObject({ code: 2, err: expect.stringContaining('the user is chosen in the browser') });
  });
});

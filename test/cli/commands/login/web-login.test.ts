/** `iam login --web` against the real server, with a program in place of the browser of a person. */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { getSessionPath } from '../../../../src/cli/auth/session-file.ts';
import { type IamServer, startServer } from '../../../../src/testing/index.ts';
import { type CliResult, type Home, test } from '../../run-cli.ts';

let iam: IamServer;
beforeEach(async () => {
  iam = await startServer({
    seed: {
      users: [{ userId: 'ann', userName: 'ann.lee' }],
      clients: [{ clientId: 'old', grantTypes: ['password', 'refresh_token'] }],
    },
    settings: { 'fast-passwords': true },
  });
});
afterEach(() => iam.stop());

/** Writes a program that gets the address as its argument, and runs the login at a terminal with it as $BROWSER. */
async function logIn(home: Home, script: string, words: readonly string[] = []): Promise<CliResult> {
  const program = home.file('browser');
  await writeFile(
    program,
    `#!${process.execPath}\nconst url = new URL(process.argv[2]);\n(async () => {${script}})();\n`,
  );
  await chmod(program, 0o700);
  const { appClientId } = iam.credentials;
  return home.iam(['login', '--web', '--client-id', appClientId, '--base-url', iam.url, ...words], {
    ...{ columns: 200, now: Date.now, variables: { BROWSER: program } },
  });
}

/** Opens the address in a browser where the user is logged in, and continues as this user. */
async function openLoggedIn(): Promise<string> {
  const page = { context: () => ({ addCookies: async () => undefined }) };
  const { cookie } = await iam.browser.login(page, 'ann.lee');
  return String.raw`const headers = { cookie: '${cookie.name}=${cookie.value}' };
    const page = await (await fetch(url, { headers })).text();
    const [, action, form] = /<form method="post" action="([^"]*)">(.*?)<\/form>/s.exec(page);
    const body = new URLSearchParams([...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, ...field]) => field));
    await fetch(new URL(action.replaceAll('&amp;', '&'), url), { method: 'POST', headers, body });`;
}

const session = async (home: Home) => JSON.parse(await readFile(getSessionPath('default', home.variables), 'utf8'));

describe('a login with a browser', () => {
  test('stores a session with a refresh token, and names the user', async ({ home }) => {
    const { code, out, err } = await logIn(home, await openLoggedIn());
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toContain(`Signed in to ${iam.url} as ann.lee.`);
    expect(await session(home)).toMatchObject({ userName: 'ann.lee', refreshToken: expect.any(String) });
    const { out: whoami } = await home.iam(['whoami', '-o', 'json'], { now: Date.now, variables: {} });
    expect(JSON.parse(whoami)).toMatchObject({
      userId: 'ann',
      scope: ['openid', 'profile', 'offline_access', 'READ', 'WRITE'],
    });
  });

  test('fills in the name and asks for a second factor', async ({ home }) => {
    const deny = `const r = new URL(url.searchParams.get('redirect_uri'));
      r.search = new URLSearchParams({ state: url.searchParams.get('state'), iss: url.origin, error: 'access_denied', error_description: [url.searchParams.get('login_hint'), url.searchParams.get('acr_values')].join(' ') });
      await fetch(r);`;
    const { code, err } = await logIn(home, deny, ['--user', 'ann.lee', '--mfa']);
    expect(code).toBe(4);
    expect(err).toContain('The login was refused: ann.lee AUTH-MFA');
    await expect(session(home)).rejects.toThrow('ENOENT');
  });

  test('takes no answer of another login or another server', async ({ home }) => {
    const forge = `const r = new URL(url.searchParams.get('redirect_uri'));
      for (const forged of [{ code: 'x' }, { code: 'x', state: 'other' }, { code: 'x', state: url.searchParams.get('state') }, { code: 'x', state: url.searchParams.get('state'), iss: 'https://other.example' }]) {
        r.search = new URLSearchParams(forged);
        if ((await fetch(r)).status !== 404) return;
      }`;
    const { code, err } = await logIn(home, `${forge}\n${await openLoggedIn()}`);
    expect(err).toContain('as ann.lee');
    expect(code).toBe(0);
  });
});

describe('refuses before a browser opens', () => {
  const unexpected = "require('node:fs').writeFileSync(process.argv[1] + '.opened', '')";
  test.for([
    [['--client-id', 'old'], 4, 'iam clients update old --add-grant-type authorization_code'],
    [['--client-id', 'unknown'], 4, '--client-id'],
    [['--password-stdin', '--user', 'ann.lee'], 2, 'typed in the browser'],
  ] as const)('%s', async ([words, code, text], { home }) => {
    const outcome = await logIn(home, unexpected, words);
    expect(outcome.code).toBe(code);
    expect(outcome.err).toContain(text);
    await expect(readFile(home.file('browser.opened'))).rejects.toThrow('ENOENT');
  });
});

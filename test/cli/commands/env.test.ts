import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliResult, Home } from '../run-cli.ts';

let home: Home;

beforeEach(async () => {
  home = await Home.make();
});

afterEach(() => home[Symbol.asyncDispose]());

/** Without a background server: tests must not depend on processes of this machine. */
const env = (words: readonly string[] = [], variables: Record<string, string> = {}): Promise<CliResult> =>
  home.iam(['env', ...words], { variables: { XDG_STATE_HOME: home.file('state'), ...variables } });

async function addProfile(secret: string): Promise<void> {
  const words = [
    'profile',
    'add',
    'here',
    '--base-url',
    'http://127.0.0.1:9',
    '--client-id',
    'c',
    '--secret-file',
    '-',
  ];
  expect((await home.iam(words, { stdin: secret })).code).toBe(0);
}

describe('iam env', () => {
  test('prints the profile in use and its server, and no secret', async () => {
    await addProfile('the-secret');
    const { code, out, err } = await env();
    expect({ code, out }).toEqual({
      code: 0,
      out: "export IAM_PROFILE='here'\nexport IAM_BASE_URL='http://127.0.0.1:9'\n",
    });
    expect(err).not.toContain('the-secret');
  });

  test('unsets variables that take precedence over the profile', async () => {
    await addProfile('the-secret');
    const { out } = await env([], { IAM_TOKEN: 't', IAM_USERNAME: 'u' });
    expect(out.split('\n')).toEqual(expect.arrayContaining(['unset IAM_TOKEN', 'unset IAM_USERNAME']));
    expect(out).not.toContain('unset IAM_API_KEY');
  });

  test.each([
    ['sh', "export IAM_CLIENT_SECRET='a'\\''b\\$(c)'"],
    ['bash', "export IAM_CLIENT_SECRET='a'\\''b\\$(c)'"],
    ['zsh', "export IAM_CLIENT_SECRET='a'\\''b\\$(c)'"],
    ['fish', "set -gx IAM_CLIENT_SECRET 'a\\'b\\\\$(c)'"],
  ])('quotes values for %s so that nothing in them is executed', async (shell, line) => {
    await addProfile("a'b\\$(c)");
    expect((await env(['--secrets', '--shell', shell])).out.split('\n')).toContain(line);
  });

  test('prints an object for programs', async () => {
    await addProfile('the-secret');
    const { out } = await env(['--secrets', '-o', 'json']);
    expect(JSON.parse(out)).toEqual({
      IAM_BASE_URL: 'http://127.0.0.1:9',
      IAM_CLIENT_ID: 'c',
      IAM_CLIENT_SECRET: 'the-secret',
    });
  });

  test('without a profile explains the credentials, and exits with 4 if there are none', async () => {
    const outcome = await env();
    expect(outcome).toMatchObject({ code: 0, out: "export IAM_BASE_URL='http://127.0.0.1:8080'\n" });
    expect(outcome.err).toContain('No profile');
    expect((await env(['--secrets'])).code).toBe(4);
  });

  test('rejects a server that is not running, and a server together with a profile', async () => {
    await addProfile('the-secret');
    expect((await env(['nothing'])).code).toBe(2);
    expect((await env(['nothing', '--profile', 'here'])).code).toBe(2);
    expect((await env(['--shell', 'csh'])).code).toBe(2);
  });
});

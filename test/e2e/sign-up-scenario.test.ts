/** Sign-up, MFA and API key creation with the built command against a separate server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProcessResult } from './cli-process.ts';
import { makeRunner, type Runner, type Served } from './runner.ts';

const app = 'e2e-app';
const email = 'carol@example.com';
const password = 'seven green umbrellas';

let sandbox: Runner;
let served: Served;

beforeAll(async () => {
  sandbox = await makeRunner();
  served = await sandbox.serve(['--store', 'memory'], { IAM_APP_CLIENT_ID: app });
});

afterAll(() => sandbox[Symbol.asyncDispose]());

/** Runs a command as the administrator. */
const iam = (words: string, more: readonly string[] = []): Promise<ProcessResult> =>
  sandbox.iam([...words.split(' '), ...more], served.variables);

/** Runs a command unauthenticated, or as the signed-in user. */
const carol = (words: string, stdin = '', more: readonly string[] = []): Promise<ProcessResult> =>
  sandbox.iam([...words.split(' '), ...more], { IAM_BASE_URL: served.url }, stdin);

async function printed(outcome: Promise<ProcessResult>): Promise<Record<string, unknown>> {
  const { code, out, err } = await outcome;
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as Record<string, unknown>;
}

/** Requests an operation as an identified client, without credentials. */
const asApplication = (id: string, body: object) =>
  printed(carol(`call ${id} --anonymous --param clientId=${app} -f - -o json`, JSON.stringify(body)));

async function codeFor(purpose: string): Promise<string> {
  const { code, out, err } = await carol(`inbox code ${email} --purpose ${purpose}`);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^\d{6}\n$/);
  return out.trim();
}

/** Each step depends on the previous ones. */
describe('a new user', () => {
  let userId: string;

  test('verifies an address, signs up and sets a password', async () => {
    const sent = await asApplication('user-identities.identification', { userEmail: email });
    expect(sent).toMatchObject({ contactType: 'EMAIL', contact: 'c***@example.com' });
    const token = await codeFor('sign-up');
    const created = await asApplication('user-identities.create', { userName: 'carol', userEmail: email, token });
    const body = JSON.stringify({ newPassword: password });
    const variables = { IAM_BASE_URL: served.url, IAM_TOKEN: String(created.accessToken) };
    const set = await sandbox.iam(['call', 'user-identities.create-password', '-f', '-'], variables, body);
    expect(set).toMatchObject({ code: 0 });
    userId = String((await printed(iam('users list --name carol -o json').then(firstOf))).userId);
  });

  test('logs in with the password, and gets a hint how to complete MFA without a terminal', async () => {
    const login = await carol(`login --user ${email} --client-id ${app} --password-stdin --mfa`, password);
    expect(login).toMatchObject({ code: 10, out: '' });
    expect(login.err).toContain('c***@example.com');
    expect(login.err).toContain('iam login --code-stdin');
    expect((await printed(carol('whoami -o json'))).roles).not.toContain('AUTH-MFA');
  });

  test('is rejected with a wrong code and accepted with the right one', async () => {
    const code = await codeFor('mfa');
    const wrong = code === '000000' ? '111111' : '000000';
    expect((await carol('login --code-stdin', wrong)).code).toBe(6);
    expect(await carol('login --code-stdin', `${code}\n`)).toMatchObject({ code: 0 });
    expect((await printed(carol('whoami -o json'))).roles).toContain('AUTH-MFA');
  });

  test('creates an API key after an administrator grants the role; the key has the roles of its client', async () => {
    const target = { clientId: app, appId: 'reports' };
    const create = `api-key create --app-id ${target.appId} --client-id ${target.clientId} -o json`;
    expect((await carol(create)).code).toBe(5);
    expect((await iam('groups users add iam-administrators', [userId, '--yes'])).code).toBe(0);
    // A new role is in the next token.
    const created = await printed(carol(create));
    expect(created).toMatchObject({ apiKeyId: expect.any(String) as string, apiKey: expect.any(String) as string });
    const variables = { IAM_BASE_URL: served.url, IAM_API_KEY: String(created.apiKey) };
    expect(await sandbox.iam(['users', 'get', userId], variables)).toMatchObject({ code: 0 });
    expect((await sandbox.iam(['groups', 'list'], variables)).code).toBe(5);
  });

  test('is locked out immediately', async () => {
    expect((await iam(`users lock ${userId} --yes`)).code).toBe(0);
    expect((await carol(`users get ${userId}`)).code).toBe(4);
    expect((await carol(`login --user ${email} --client-id ${app} --password-stdin`, password)).code).toBe(4);
  });
});

async function firstOf(outcome: ProcessResult): Promise<ProcessResult> {
  const [first] = JSON.parse(outcome.out) as unknown[];
  return { ...outcome, out: JSON.stringify(first) };
}

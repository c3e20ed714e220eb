/** The second factor of `iam login`: a wrong code may be corrected without the password. */
import { expect } from 'vitest';
import { errorResponse, startFakeServer } from '../../../client/fake-server.ts';
import { createScriptedPrompter } from '../../prompts/scripted-prompter.ts';
import { Home, test } from '../../run-cli.ts';

const token = (accessToken: string) => ({ json: { accessToken, refreshToken: 'refresh', expiresIn: 600 } });

/** Accepts one password and the code 222222. */
function mfaServer() {
  return startFakeServer(({ path, body }) => {
    if (path.includes('/user-identities/login')) return token('password-only');
    if (path.includes('leverage-mfa')) return { json: { challengeId: 'c1', contact: 'a***@example.com' } };
    if (path.includes('fulfill-mfa'))
      return body.includes('222222') ? token('with-mfa') : errorResponse(412, 'CODE_INVALID');
    return { json: [] };
  });
}

const login = (url: string) => `login --base-url ${url} --user alice --client-id app --mfa`.split(' ');
const countOf = (received: readonly { readonly path: string }[], part: string) =>
  received.filter(({ path }) => path.includes(part)).length;

test('a wrong code is prompted for again', async ({ home }) => {
  await using server = await mfaServer();
  const { prompter, questions } = createScriptedPrompter('password', '111111', '222222');
  const outcome = await home.iam(login(server.url), { columns: 200, prompter, variables: {} });
  expect(outcome).toMatchObject({ code: 0, err: expect.stringContaining('The code is wrong or has expired.') });
  expect(questions.map(({ type }) => type)).toEqual(['password', 'input', 'input']);
  expect([countOf(server.received, 'login'), countOf(server.received, 'leverage-mfa')]).toEqual([1, 1]);
});

test('after three wrong codes the error says how to go on', async ({ home }) => {
  await using server = await mfaServer();
  const { prompter } = createScriptedPrompter('password', '1', '2', '3');
  const outcome = await home.iam(login(server.url), { columns: 200, prompter, variables: {} });
  expect(outcome).toMatchObject({ code: 6, out: '', err: expect.stringContaining('iam login --code-stdin') });
  expect(countOf(server.received, 'fulfill-mfa')).toBe(3);
});

test('other errors than a wrong code end the prompts', async ({ home }) => {
  await using server = await startFakeServer(({ path }) => {
    if (path.includes('fulfill-mfa')) return errorResponse(429, 'CODE_FAILURES');
    return path.includes('leverage-mfa') ? { json: { challengeId: 'c1', contact: 'x' } } : token('password-only');
  });
  const { prompter } = createScriptedPrompter('password', '111111');
  const words = [...login(server.url), '--max-wait', '0'];
  expect((await home.iam(words, { columns: 200, prompter, variables: {} })).code).toBe(75);
});

test('a script corrects the code without the password, and hints repeat the profile', async ({ home }) => {
  await using server = await mfaServer();
  await home.iam(['profile', 'add', 'work', '--base-url', server.url]);
  const words = 'login --profile work --user alice --client-id app --mfa --password-stdin'.split(' ');
  const sent = await home.iam(words, { stdin: 'password', variables: {} });
  expect(sent).toMatchObject({ code: 10, err: expect.stringContaining('`iam login --code-stdin --profile work`') });
  const complete = (stdin: string) =>
    home.iam('login --code-stdin --profile work'.split(' '), { stdin, variables: {} });
  const wrong = await complete('111111');
  expect(wrong).toMatchObject({ code: 6, err: expect.stringContaining('no password is needed') });
  expect(wrong.err).toContain('`iam login --code-stdin --profile work`');
  expect((await complete('222222')).code).toBe(0);
  expect(countOf(server.received, '/login')).toBe(1);
});

test('the base URL is prompted for at a terminal, and required without one', async ({ home }) => {
  await using server = await mfaServer();
  const words = 'login --user alice --client-id app --no-mfa'.split(' ');
  const { prompter, questions } = createScriptedPrompter(server.url, 'password');
  expect((await home.iam(words, { columns: 200, prompter, variables: {} })).code).toBe(0);
  expect(questions[0]?.message).toContain('URL of the service');
  await using other = await Home.make();
  const missing = await other.iam([...words, '--password-stdin'], { stdin: 'password', variables: {} });
  expect(missing).toMatchObject({ code: 10, err: expect.stringContaining('--base-url') });
  expect(server.received).toHaveLength(1);
});

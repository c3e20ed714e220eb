/** Tests every exit code of `iam help exit-codes`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorResponse, type FakeHandler, startFakeServer } from '../client/fake-server.ts';
import { type CliResult, Home, iam, tokenVariables } from './run-cli.ts';

type Reply = ReturnType<FakeHandler>;

/** Runs a command against a server with a fixed response. */
async function against(
  reply: Reply,
  line: string,
  variables: Record<string, string> = tokenVariables,
): Promise<CliResult> {
  await using server = await startFakeServer(() => reply);
  return await iam(line.split(' '), { url: server.url, variables: { IAM_BASE_URL: server.url, ...variables } });
}

/** Runs a command with a file, against a server with a fixed response. */
async function beside(name: string, text: string, reply: Reply, line: (file: string) => string): Promise<CliResult> {
  await using home = await Home.make();
  await using server = await startFakeServer(() => reply);
  await writeFile(home.file(name), text);
  return await home.iam(line(home.file(name)).split(' '), { url: server.url, variables: tokenVariables });
}

async function interrupted(signal: NodeJS.Signals): Promise<CliResult> {
  const controller = new AbortController();
  await using server = await startFakeServer(() => {
    controller.abort(signal);
    return { silent: true };
  });
  return await iam(['groups', 'get', 'ops'], { url: server.url, signal: controller.signal });
}

const group = { groupId: 'g1', groupName: 'ops', roles: ['VIEW'], dependencies: [] };
const creating = '--operation groups.create';
const groups = 'groups:\n  - groupName: ops\n    roles: [DEPLOY]\n';
const ending: Readonly<Record<number, readonly [string, () => Promise<CliResult>]>> = {
  0: ['done', () => against({ json: group }, 'groups get ops')],
  1: ['a negative result of can', () => against({ json: [] }, 'can alice DEPLOY')],
  2: ['a usage error', () => against({ json: [] }, 'groups lst')],
  3: ['not found', () => against(errorResponse(404, 'GROUP_NOT_FOUND'), 'groups get ops')],
  4: ['not signed in', () => against({ json: group }, 'groups get ops', {})],
  5: ['a role is missing', () => against(errorResponse(403, 'ROLE_MISSING'), 'groups get ops')],
  6: ['a name conflict', () => against(errorResponse(412, 'GROUP_NAME_TAKEN'), 'groups create --group-name ops')],
  7: ['a value is rejected', () => against(errorResponse(400, 'FIELD_VALUE'), 'groups create --group-name ops')],
  8: [
    'a row failed',
    () =>
      beside(
        'rows.csv',
        'groupName\nops\n',
        errorResponse(412, 'GROUP_NAME_TAKEN'),
        (file) => `bulk run ${file} ${creating}`,
      ),
  ],
  9: [
    'changes are pending',
    () => beside('iam.yaml', groups, { json: [group] }, (file) => `plan -f ${file} --detailed-exitcode`),
  ],
  10: ['non-interactive mode', () => against({ status: 204 }, 'groups delete ops')],
  70: ['a response of no known kind', () => against(errorResponse(405, 'METHOD_NOT_ALLOWED'), 'groups get ops')],
  75: [
    'the server is unavailable',
    () => against(errorResponse(503, 'STORE_UNAVAILABLE'), 'groups get ops --max-wait 0'),
  ],
  76: [
    'a write has an unknown outcome',
    () => against(errorResponse(503, 'OUTCOME_UNKNOWN'), 'groups delete ops --yes'),
  ],
  130: ['interrupted', () => interrupted('SIGINT')],
  143: ['terminated', () => interrupted('SIGTERM')],
};

/** Codes that only a process can return, and the tests that start one. */
const ofProcesses: Readonly<Record<number, string>> = {
  11: 'test/e2e/cli-background.test.ts',
  12: 'test/e2e/cli-background.test.ts',
  13: 'test/e2e/cli-background.test.ts',
  14: 'test/e2e/cli-background.test.ts',
  130: 'test/e2e/cli-server.test.ts',
  143: 'test/e2e/cli-server.test.ts',
};

describe('the exit code', () => {
  test.each(Object.entries(ending).map(([code, [meaning, run]]) => ({ code: Number(code), meaning, run })))(
    'is $code: $meaning',
    async ({ code, run }) => {
      const outcome = await run();
      expect(outcome.code, outcome.err).toBe(code);
      if (![0, 1, 8, 9].includes(code))
        expect(outcome).toMatchObject({ out: '', err: expect.stringMatching(/^error: /) });
    },
  );

  test.each(Object.entries(ofProcesses))('%s is tested with a process in %s', (code, file) => {
    expect(existsSync(file) && readFileSync(file, 'utf8')).toMatch(new RegExp(`(toBe\\(|code: |\\[|, )${code}\\b`));
  });
});

describe('1 is a result, and no failure exits with it', () => {
  const yaml = (reply: Reply, more = '') => beside('iam.yaml', groups, reply, (file) => `diff -f ${file}${more}`);
  const failures: Readonly<Record<string, readonly [number, () => Promise<CliResult>]>> = {
    'diff: the connection is lost': [75, () => yaml({ hangUp: true }, ' --max-wait 0')],
    'diff: no response': [75, () => yaml({ silent: true }, ' --timeout 0.2')],
    'diff: the response is not JSON': [70, () => yaml({ text: '<html>' })],
    'diff: the query fails': [2, () => yaml({ json: [] }, ' --query sum(@)')],
    'can: the response has no roles': [70, () => against({ json: { unexpected: true } }, 'can alice DEPLOY')],
    'can: forbidden': [5, () => against(errorResponse(403, 'ROLE_MISSING'), 'can alice DEPLOY')],
    'state diff: not found': [3, () => against(errorResponse(404, 'NOT_FOUND'), 'state diff a b')],
    'state diff: the response has no tables': [70, () => against({ json: {} }, 'state diff')],
    'server status: unknown name': [3, () => iam(['server', 'status', 'unknown'])],
  };

  test.each(Object.entries(failures))('%s', async (_, [code, run]) => {
    const outcome = await run();
    expect([outcome.code, outcome.err]).toEqual([code, expect.stringMatching(/^error: /)]);
  });
});

/** The commands of each source file that exits with 1, once for each place; none for prompts. */
const negativeResults: Readonly<Record<string, readonly string[]>> = {
  'commands/can.ts': ['can'],
  'commands/coverage.ts': ['coverage --threshold'],
  'commands/doctor/doctor.ts': ['doctor'],
  'commands/server/status.ts': ['server status', 'server status'],
  'commands/state/diff.ts': ['state diff'],
  'commands/token.ts': ['token inspect --verify', 'token inspect --status'],
  // Like a declined prompt: the text was left as it was rejected.
  'commands/update/edit.ts': ['prompts'],
  'conformance/index.ts': ['conformance', 'conformance'],
  'plan/index.ts': ['diff'],
  'request/confirm.ts': ['prompts'],
};

test('the help lists each command that exits with 1', async () => {
  const { out } = await iam(['help', 'exit-codes']);
  const [, list = ''] = /negative results: (.*?)\./s.exec(out) ?? [];
  const named = [...list.matchAll(/`(.*?)`|prompts/g)].map(([text, command]) => command ?? text);
  expect(named.sort()).toEqual([...new Set(Object.values(negativeResults).flat())].sort());
  const counts = Object.entries(negativeResults).map(([file, commands]) => [file, commands.length]);
  expect(countExits('src/cli')).toEqual(Object.fromEntries(counts));
});

/** How often each source file exits with 1. */
function countExits(folder: string): Record<string, number> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const counts = files.map((file) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    return [file.replaceAll(path.sep, '/'), text.match(/QuietExit\(1\)|exitCode: 1\b/g)?.length ?? 0] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

test('the printed table and the tested one have the same codes', async () => {
  const { out } = await iam(['help', 'exit-codes']);
  const printed = [...out.matchAll(/^ +(\d+) {2}\S/gm)].map(([, code]) => Number(code)).sort((a, b) => a - b);
  const tested = [...new Set([...Object.keys(ending), ...Object.keys(ofProcesses)].map(Number))].sort((a, b) => a - b);
  expect(tested).toEqual(printed);
});

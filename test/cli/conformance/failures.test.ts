/** Every command reports rejections, server errors and timeouts uniformly. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWriteRequest } from '../../../src/cli/config/safety.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { errorResponse, type FakeHandler, type FakeServer, startFakeServer } from '../../client/fake-server.ts';
import { isFullRun } from '../../effort.ts';
import { type CatalogueEntry, ExampleRunner, readCatalogue } from './example-runner.ts';
import { exampleSetups } from './example-setups.ts';

/** Commands that do not fail with a single request, the reason, and the tests of their failures. */
const testedElsewhere: Readonly<Record<string, string>> = {
  doctor: 'prints failures in a table: test/cli/commands/doctor/doctor.test.ts',
  conformance: 'reports each difference: test/cli/commands/conformance',
  'bulk run': 'reports each row: test/cli/bulk/bulk.test.ts',
  'bulk retry': 'reports each row: test/cli/bulk/bulk.test.ts',
  'inbox wait': 'waits again: test/cli/commands/inbox.test.ts',
  'requests wait': 'waits again: test/cli/commands/requests.test.ts',
  'users roles': 'says that its business is not found: test/cli/conformance/not-found.test.ts',
  'store verify': 'reads files: test/cli/commands/store/store.test.ts',
  'store repair': 'works on files: test/cli/commands/store/store.test.ts',
  'store restore': 'works on files: test/cli/commands/store/store.test.ts',
  'store copy': 'sends no requests: test/postgres/copy.test.ts',
  'store init': 'sends no requests: test/postgres/setup.test.ts',
  'store migrate': 'sends no requests: test/postgres/setup.test.ts',
  explain: 'requests only unknown names, and then reports these: test/cli/commands/explain.test.ts',
};

/** They need host:port where the kind of store is not known, as with a caller that may not read it. */
const stateCommands: readonly string[] = ['state import', 'state reset', 'state restore', 'state seed'];

const failureCases = [
  { what: 'an invalid field (400)', status: 400, code: 'FIELD_VALUE', exitCode: 7 },
  { what: 'a violated rule (422)', status: 422, code: 'DEPENDENCY_CYCLE', exitCode: 7 },
  { what: 'a missing role (403)', status: 403, code: 'ROLE_MISSING', exitCode: 5 },
  { what: 'an unknown entity (404)', status: 404, code: 'GROUP_NOT_FOUND', exitCode: 3 },
  { what: 'a state that forbids it (412)', status: 412, code: 'GROUP_IN_USE', exitCode: 6 },
  { what: 'a server error (500)', status: 500, code: 'INTERNAL' },
];

const signIn = manifest.operations.find(({ id }) => id === 'client-identities.login')?.path;
const isSignIn = (path: string) => path.split('?')[0] === `${servicePrefix}${signIn}`;

/** After a request without a clear answer: 76 if it may have changed something. Signing in changes nothing. */
const findUnclearExitCode = ({ command, effect }: CatalogueEntry, received: FakeServer['received']) =>
  effect !== 'read' &&
  command !== 'login' &&
  received.some(({ method, path }) => isWriteRequest(method, path) && !isSignIn(path))
    ? 76
    : 75;

const entries = (await readCatalogue()).filter(
  ({ command, effect, examples }) =>
    effect !== 'local' && examples.length > 0 && testedElsewhere[command] === undefined,
);

let runner: ExampleRunner;
beforeAll(async () => {
  runner = await ExampleRunner.create();
});
afterAll(() => runner[Symbol.asyncDispose]());

/** The first example of a command, without format options, confirmed, and sent to another server. */
async function prepareFirstExample({ command, examples, effect }: CatalogueEntry, url: string) {
  const example = examples.find((one) => exampleSetups[one]?.terminal !== true) ?? '';
  const { before, prepare } = exampleSetups[example] ?? {};
  if (before ?? prepare) await runner.reset();
  const ready = await runner.prepare(example, url);
  const isStateCommand = stateCommands.includes(command);
  const isConfirmed = effect !== 'destructive' || ready.words.includes('--yes');
  const confirmation = isStateCommand ? ['--confirm', new URL(url).host] : isConfirmed ? [] : ['--yes'];
  return (format: readonly string[]) => ready.run([...confirmation, '--max-wait', '0', ...format]);
}

/** All of them in a full run; else each command has one, and each of them a sixth of the commands. */
function listCases(command: number): typeof failureCases {
  return failureCases.filter((_, at) => isFullRun || at === command % failureCases.length);
}

describe.each(entries.map((entry, at) => ({ ...entry, cases: listCases(at) })))('$command', ({ cases, ...entry }) => {
  test('reports each rejection to people and programs, with its exit code', async () => {
    let response: ReturnType<FakeHandler> = {};
    await using server = await startFakeServer(() => response);
    const run = await prepareFirstExample(entry, server.url);
    for (const { what, status, code, exitCode: clearExitCode } of cases) {
      response = errorResponse(status, code, `${what}.`);
      const before = server.received.length;
      const outcome = await run(['-o', 'json']);
      const exitCode = clearExitCode ?? findUnclearExitCode(entry, server.received.slice(before));
      expect({ what, ...outcome, err: '' }).toEqual({ what, code: exitCode, out: '', err: '' });
      const { error } = JSON.parse(outcome.err) as { error: Record<string, unknown> };
      expect(error).toMatchObject({ code, status, requestId: 'request-1', transient: exitCode === 75 });
      expect([what, error.message, typeof error.hint]).toEqual([what, expect.stringContaining(what), 'string']);
      expect(Object.keys(error)).toEqual(expect.arrayContaining(['code', 'message', 'items', 'transient']));
    }
    response = errorResponse(500, 'INTERNAL', 'a server error.');
    const before = server.received.length;
    const { code, out, err } = await run(['-o', 'table']);
    expect({ code, out }).toEqual({ code: findUnclearExitCode(entry, server.received.slice(before)), out: '' });
    expect(err).toMatch(/^error: .+\n {2}reason {3}INTERNAL \(500\)\n {2}request {2}request-1\n {2}hint {5}.+\n$/m);
  });
});

test('a timeout is exit code 75, or 76 after a write, and a timeout error for every command', async () => {
  const runs: { entry: CatalogueEntry; server: FakeServer; run: Awaited<ReturnType<typeof prepareFirstExample>> }[] =
    [];
  for (const entry of entries) {
    const server = await startFakeServer(() => ({ silent: true }));
    runs.push({ entry, server, run: await prepareFirstExample(entry, server.url) });
  }
  await Promise.all(
    runs.map(async ({ entry, server, run }) => {
      const { command } = entry;
      const { err, ...outcome } = await run(['--timeout', '1', '-o', 'json']);
      const exitCode = findUnclearExitCode(entry, server.received);
      expect({ command, ...outcome }).toEqual({ command, code: exitCode, out: '' });
      const code = exitCode === 75 ? 'NETWORK' : 'OUTCOME_UNKNOWN';
      const error = { code, transient: exitCode === 75, hint: expect.any(String) };
      expect({ command, ...JSON.parse(err) }).toMatchObject({ command, error });
      await server[Symbol.asyncDispose]();
    }),
  );
});

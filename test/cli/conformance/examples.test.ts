/**
 * Runs each example of the help, and checks that it does no more than the catalogue declares. Commands that declare no
 * write run with a read-only setting.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { varyingRoles } from '../../../src/cli/command.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { describeMissing, findMissingAuthorities, isAllowed, parseRoles } from '../../../src/contract/roles.ts';
import { isFullRun } from '../../effort.ts';
import { startLosingProxy } from '../plan/write-proxy.ts';
import {
  type CatalogueEntry,
  ExampleRunner,
  type LoggedRequest,
  readCatalogue,
  testedElsewhere,
} from './example-runner.ts';
import { exampleSetups } from './example-setups.ts';

/** Sign-in issues a token, which is not a write of the command; its roles are those of the application. */
const loginCommands: readonly string[] = ['login', 'logout'];

/** They do without what a role lets them read. */
const roleTolerantCommands: readonly string[] = ['doctor', 'groups services add'];
const signIn = ['client-identities.login'];
/** A read whose request has a body, which is in no URL or log. */
const readsWithBody = ['control.names', 'control.token-inspect'];

/** Commands that report the outcome of each row, or send no write that can have an unknown outcome. */
const unseenOutcomes: readonly string[] = ['bulk run', 'bulk retry', 'conformance', 'login', 'logout'];

let runner: ExampleRunner;
beforeAll(async () => {
  runner = await ExampleRunner.create();
});
afterAll(() => runner[Symbol.asyncDispose]());

const entries = await readCatalogue();
const examples = entries
  .filter(({ command }) => testedElsewhere[command] === undefined)
  .flatMap(({ examples: own }) => own.map((example) => ({ example, entry: findCommand(example) })));

/** The help of `iam clock` also contains `iam clock advance`. */
function findCommand(example: string): CatalogueEntry {
  const fitting = entries.filter(({ command }) => `${example} `.startsWith(`iam ${command} `));
  const [longest] = fitting.sort((a, b) => b.command.length - a.command.length);
  if (!longest) throw new Error(`${example} does not belong to a command`);
  return longest;
}

describe('the examples', () => {
  test.each(examples)('$example', async ({ example, entry }) => {
    await runner.reset();
    const { words, code, run } = await runner.prepare(example);
    const before = await runner.server.dump();
    const since = await runner.markLog();
    if (writes(entry)) {
      const tried = await run(['--dry-run']);
      expect([0, code]).toContain(tried.code);
      expect(tried.out).not.toBe('');
      expect(changes(await runner.requestsSince(since))).toEqual([]);
      expect(await runner.server.dump()).toEqual(before);
    }
    const isPrompted =
      entry.effect === 'destructive' &&
      !entry.effectVaries &&
      !isConfirmed(words) &&
      exampleSetups[example]?.confirmed !== true;
    if (isPrompted) expect((await run()).code).toBe(words.includes('bulk') ? code : 10);
    const confirmation = isPrompted ? ['--yes'] : [];
    const outcome = await run(confirmation, writes(entry) ? {} : { IAM_READ_ONLY: 'true' });
    expect(outcome.code, outcome.err || outcome.out).toBe(code);
    if (code === 0) expect(outcome.err).not.toContain('error:');
    if (printsJson(words)) expect(() => JSON.parse(outcome.out)).not.toThrow();
    const requests = await runner.requestsSince(since);
    if (entry.effect === 'local' && !loginCommands.includes(entry.command)) expect(requests).toEqual([]);
    if (entry.effect === 'read') {
      expect(changes(requests)).toEqual([]);
      expect(await runner.server.dump()).toEqual(before);
    }
    expect(listUndeclaredOperations(entry, requests)).toEqual([]);
    if (!writes(entry) || !entry.idempotent) return;
    const after = await runner.server.dump();
    await run(confirmation);
    expect(await runner.server.dump()).toEqual(after);
  });
});

describe('an example of a write whose answer is lost', () => {
  const commands = new Set<string>();
  /** Each in a full run, else one of each command. */
  const isChosen = (command: string) => isFullRun || commands.size < commands.add(command).size;
  const writing = examples.filter(
    ({ entry }) => writes(entry) && !unseenOutcomes.includes(entry.command) && isChosen(entry.command),
  );

  test.each(writing)('is unknown, and a command shows what happened: $example', async ({ example }) => {
    await runner.reset();
    await using proxy = await startLosingProxy(runner.server.url);
    const { words, run } = await runner.prepare(example, proxy.url);
    const outcome = await run(isConfirmed(words) ? [] : ['--yes'].filter(() => acceptsYes(words)));
    // Some examples only print what they would send.
    if (proxy.writes === 0) return;
    expect(outcome.code, outcome.err).toBe(76);
    const hint = /See (?:whether it was made|what is left) with `(iam [^`]+)`/;
    const [, check = ''] = hint.exec(outcome.err.replace(/\n +/g, ' ')) ?? [];
    const shown = findCommand(check);
    expect(shown.effect === 'read' || shown.effectVaries, check).toBe(true);
    // Own contacts are those of the caller.
    const { code } = check.startsWith('iam factors ')
      ? await runner.run(check.slice('iam '.length), 'alice')
      : await (await runner.prepare(check)).run();
    expect([0, 1, 3]).toContain(code);
  });
});

test('commands covered by other tests appear in those tests', async () => {
  for (const [command, file] of Object.entries(testedElsewhere)) {
    const text = existsSync(file) ? await readFile(file, 'utf8') : '';
    const last = command.split(' ').at(-1) ?? '';
    expect([command, text.includes(`'${last}'`) || text.includes(`serve(`)]).toEqual([command, true]);
  }
});

test('each setup belongs to an existing example', () => {
  const there = new Set(examples.map(({ example }) => example));
  expect(Object.keys(exampleSetups).filter((example) => !there.has(example))).toEqual([]);
});

test('an example that fails without a setup is detected', async () => {
  const { run } = await runner.prepare('iam groups get NO_SUCH_GROUP');
  expect((await run()).code).toBe(3);
});

function writes({ effect, command }: CatalogueEntry): boolean {
  return (effect === 'write' || effect === 'destructive') && !loginCommands.includes(command);
}

/** Only commands that ask have the option. */
function acceptsYes(words: readonly string[]): boolean {
  return findCommand(`iam ${words.join(' ')}`).effect === 'destructive';
}

function isConfirmed(words: readonly string[]): boolean {
  return words.some((word) => ['--yes', '-y', '--confirm'].includes(word));
}

function changes(requests: readonly LoggedRequest[]): LoggedRequest[] {
  return requests.filter(
    ({ method, operation = '' }) => method !== 'GET' && ![...signIn, ...readsWithBody].includes(operation),
  );
}

function printsJson(words: readonly string[]): boolean {
  return words.includes('--json') || words[words.indexOf('-o') + 1] === 'json';
}

/** Requested operations whose roles are not covered by the roles of the command. */
function listUndeclaredOperations({ command, roles }: CatalogueEntry, requests: readonly LoggedRequest[]): string[] {
  if (roles === varyingRoles || loginCommands.includes(command) || roleTolerantCommands.includes(command)) return [];
  const missing = describeMissing(findMissingAuthorities(parseRoles(roles), { roles: new Set(), scope: new Set() }));
  // Levels are cumulative.
  const granted = {
    roles: new Set(missing.includes('AUTH-MFA') ? [...missing, 'AUTH-BASIC'] : missing),
    scope: new Set<string>(),
  };
  const requested = manifest.operations.filter(({ id }) => requests.some(({ operation }) => operation === id));
  return requested.filter((operation) => !isAllowed(parseRoles(operation.roles), granted)).map(({ id }) => id);
}

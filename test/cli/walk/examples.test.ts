/** Each example that the help of a command gives runs, and does no more than the catalogue says of the command. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rolesVary } from '../../../src/cli/leaf.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { allows, describeMissing, nearestMiss, parseRoles } from '../../../src/contract/roles.ts';
import { arrangements } from './arrangements.ts';
import { type Call, catalogue, type Entry, Stage } from './stage.ts';

/** What can not run in the process of a test or works on files of stores, and the tests that have them. */
const elsewhere: Readonly<Record<string, string>> = {
  serve: 'test/e2e/cli-server.test.ts',
  'server start': 'test/e2e/cli-background.test.ts',
  'server stop': 'test/e2e/cli-background.test.ts',
  'server status': 'test/e2e/cli-background.test.ts',
  'server logs': 'test/e2e/cli-background.test.ts',
  'store verify': 'test/cli/store.test.ts',
  'store repair': 'test/cli/store.test.ts',
  'store backup': 'test/cli/store.test.ts',
  'store restore': 'test/cli/store.test.ts',
};

/** Signing in makes a token, which is no change of what is administered; the roles are those of the application. */
const signsIn: readonly string[] = ['login', 'logout'];

/** It tells of a role that is missing, and needs none. */
const tolerant: readonly string[] = ['doctor'];
const signIn = ['client-identities.login'];

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.make();
});
afterAll(() => stage[Symbol.asyncDispose]());

const entries = await catalogue();
const examples = entries
  .filter(({ command }) => elsewhere[command] === undefined)
  .flatMap(({ examples: own }) => own.map((example) => ({ example, entry: commandOf(example) })));

/** The help of `iam clock` shows `iam clock advance` as well. */
function commandOf(example: string): Entry {
  const fitting = entries.filter(({ command }) => `${example} `.startsWith(`iam ${command} `));
  const [longest] = fitting.sort((a, b) => b.command.length - a.command.length);
  if (!longest) throw new Error(`${example} is of no command`);
  return longest;
}

describe('the examples', () => {
  test.each(examples)('$example', async ({ example, entry }) => {
    await stage.reset();
    const { words, code, run } = await stage.ready(example);
    const before = await stage.server.dump();
    const since = await stage.mark();
    if (writes(entry)) {
      const tried = await run(['--dry-run']);
      expect([0, code]).toContain(tried.code);
      expect(tried.out).not.toBe('');
      expect(changes(await stage.callsSince(since))).toEqual([]);
      expect(await stage.server.dump()).toEqual(before);
    }
    const asked = entry.effect === 'destructive' && !entry.effectVaries && !isAnswered(words);
    if (asked) expect((await run()).code).toBe(words.includes('bulk') ? code : 10);
    const answers = asked ? ['--yes'] : [];
    const outcome = await run(answers);
    expect(outcome.code, outcome.err || outcome.out).toBe(code);
    if (code === 0) expect(outcome.err).not.toContain('error:');
    if (printsJson(words)) expect(() => JSON.parse(outcome.out)).not.toThrow();
    const calls = await stage.callsSince(since);
    if (entry.effect === 'local' && !signsIn.includes(entry.command)) expect(calls).toEqual([]);
    if (entry.effect === 'read') {
      expect(changes(calls)).toEqual([]);
      expect(await stage.server.dump()).toEqual(before);
    }
    expect(rolesBeyond(entry, calls)).toEqual([]);
    if (!writes(entry) || !entry.idempotent) return;
    const after = await stage.server.dump();
    await run(answers);
    expect(await stage.server.dump()).toEqual(after);
  });
});

test('what runs elsewhere is tested there', async () => {
  for (const [command, file] of Object.entries(elsewhere)) {
    const text = existsSync(file) ? await readFile(file, 'utf8') : '';
    const last = command.split(' ').at(-1) ?? '';
    expect([command, text.includes(`'${last}'`) || text.includes(`serve(`)]).toEqual([command, true]);
  }
});

test('each arrangement is for an example that there is', () => {
  const there = new Set(examples.map(({ example }) => example));
  expect(Object.keys(arrangements).filter((example) => !there.has(example))).toEqual([]);
});

test('a new example that can not run as it stands is found', async () => {
  const { run } = await stage.ready('iam groups get NO_SUCH_GROUP');
  expect((await run()).code).toBe(3);
});

function writes({ effect, command }: Entry): boolean {
  return (effect === 'write' || effect === 'destructive') && !signsIn.includes(command);
}

function isAnswered(words: readonly string[]): boolean {
  return words.some((word) => ['--yes', '-y', '--confirm'].includes(word));
}

function changes(calls: readonly Call[]): Call[] {
  return calls.filter(({ method, operation = '' }) => method !== 'GET' && !signIn.includes(operation));
}

function printsJson(words: readonly string[]): boolean {
  return words.includes('--json') || words[words.indexOf('-o') + 1] === 'json';
}

/** Operations that were called although who has the roles that the command names might not have theirs. */
function rolesBeyond({ command, roles }: Entry, calls: readonly Call[]): string[] {
  if (roles === rolesVary || signsIn.includes(command) || tolerant.includes(command)) return [];
  const missing = describeMissing(nearestMiss(parseRoles(roles), { roles: new Set(), scope: new Set() }));
  const granted = { roles: new Set(missing), scope: new Set<string>() };
  const called = manifest.operations.filter(({ id }) => calls.some(({ operation }) => operation === id));
  return called.filter((operation) => !allows(parseRoles(operation.roles), granted)).map(({ id }) => id);
}

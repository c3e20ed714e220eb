/** Walks all updates: every resource that has one is in the table, and follows the one contract. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { updatableResources } from '../../../src/cli/commands/update/resources.ts';
import { toKebabCase, toSingular } from '../../../src/cli/request/field-options.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import type { CliResult, RunOptions } from '../run-cli.ts';
import { ExampleRunner } from './example-runner.ts';

/** Operations with PUT or PATCH that are no update of one resource. */
const others: Readonly<Record<string, string>> = {
  'client-identities.migrate': 'moves many clients at once',
  'user-identities.add-identity': 'adds one login name; `users remove-identity` removes it',
};

interface UpdateCase {
  readonly target: string;
  /** The command that reads it. */
  readonly get: string;
  /** Options that change something. */
  readonly change: string;
  /** What the command prints then. */
  readonly printed: string;
  /** Options that change nothing. */
  readonly same: string;
  readonly as?: 'alice';
}

const cases: Readonly<Record<string, UpdateCase>> = {
  'groups update': {
    target: 'ops',
    get: 'groups get ops',
    change: '--add-role RESTART --organization-id example',
    printed: 'ops: ~ organizationId: (none) -> example, + role RESTART',
    same: '--add-role ROLE_DEPLOY --remove-role GONE',
  },
  'corporate-groups update': {
    target: 'CORPORATE_GROUP_ID',
    get: 'corporate-groups get CORPORATE_GROUP_ID',
    change: '--corporate-group-name holding',
    printed: 'concern: ~ corporateGroupName: concern -> holding',
    same: '--remove-business globex',
  },
  'users update': {
    target: 'alice',
    get: 'users get alice',
    change: '--user-mobile.region-code 55 --user-mobile.area-code 11 --user-mobile.phone-number 99999999',
    printed: 'alice: ~ userMobile: (none) -> {"regionCode":55,"areaCode":11,"phoneNumber":99999999}',
    same: '--user-email alice@example.com',
  },
  'api-key update': {
    target: 'KEY_ID',
    get: 'api-key get KEY_ID',
    change: '--app-id accounts',
    printed: 'KEY_ID: ~ appId: billing -> accounts',
    same: '--client-id CLIENT_ID',
  },
  'users factors update': {
    target: 'alice FACTOR_ID',
    get: 'users factors list alice',
    change: '--add-tag home',
    printed: 'FACTOR_ID: + tag home',
    same: '--contact-type EMAIL',
  },
  'factors update': {
    target: 'FACTOR_ID',
    get: 'factors list',
    change: '--add-tag own',
    printed: 'FACTOR_ID: + tag own',
    same: '--contact-type EMAIL',
    as: 'alice',
  },
};

const updates = manifest.operations.filter(
  ({ id, method }) => (method === 'PUT' || method === 'PATCH') && !(id in others),
);

test('every operation that updates a resource is in the table, and has a case', () => {
  expect(updatableResources.map(({ write }) => write).sort()).toEqual(updates.map(({ id }) => id).sort());
  expect(Object.keys(cases).sort()).toEqual(updates.map(({ command }) => command).sort());
});

let runner: ExampleRunner;
beforeAll(async () => {
  runner = await ExampleRunner.create();
});
afterAll(() => runner[Symbol.asyncDispose]());

describe.each(Object.entries(cases))('%s', (command, { target, change, printed, same, as }) => {
  const run = (words: string, options?: RunOptions): Promise<CliResult> =>
    runner.run(`${command} ${target} ${words}`.trim(), as ?? 'administrator', options);

  test('sends nothing without a field, and nothing for what is so already', async () => {
    const before = await runner.server.dump();
    expect(await run('')).toMatchObject({ code: 2, err: expect.stringContaining('No changes specified.') });
    expect(await run(same)).toMatchObject({ code: 0, err: expect.stringContaining(': nothing to change') });
    expect(await runner.server.dump()).toEqual(before);
  });

  test('rejects an entry that is added and removed', async () => {
    const operation = updates.find((one) => one.command === command);
    const lists = Object.entries(operation?.body?.properties ?? {}).flatMap(([field, { type }]) =>
      type === 'array' ? [toSingular(toKebabCase(field))] : [],
    );
    for (const flag of lists) {
      const outcome = await run(`--add-${flag} globex --remove-${flag} globex`);
      expect([flag, outcome.code, outcome.err]).toEqual([flag, 2, expect.stringContaining('is both added')]);
    }
  });

  test('changes what the options name and nothing else, and prints it', async () => {
    const before = await runner.server.dump();
    expect(await run(`${change} --dry-run`)).toMatchObject({
      code: 0,
      err: expect.stringContaining(printed.slice(-8)),
    });
    expect(await runner.server.dump()).toEqual(before);
    expect(await run(change)).toEqual({ code: 0, out: '', err: `${printed}\n` });
    expect(await run(change)).toMatchObject({ code: 0, err: expect.stringContaining(': nothing to change') });
  });
});

test('users update with an address that is not verified verifies it', async () => {
  await runner.run('users create --user-id new --user-name new --user-email new@example.com', 'administrator');
  const words = 'users update new --user-email new@example.com';
  const err = 'new: ~ userEmail: new@example.com (not verified) -> new@example.com\n';
  expect(await runner.run(words, 'administrator')).toEqual({ code: 0, out: '', err });
  expect(await runner.run(words, 'administrator')).toMatchObject({ err: 'new: nothing to change\n' });
});

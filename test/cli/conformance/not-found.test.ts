/** Walks all commands that refer to an object of the server: one that does not exist is not found, whatever its name looks like. */
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCompleteProgram } from '../../../src/cli/cli-reference.ts';
import { sourcesOf } from '../../../src/cli/prompts/value-sources.ts';
import { type EntityName, idPropertyOf, type Reference } from '../../../src/contract/entities.ts';
import { errorTable } from '../../../src/contract/error-codes.ts';
import { isFullRun } from '../../effort.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { createScriptedPrompter } from '../prompts/scripted-prompter.ts';
import { iam, type RunOptions } from '../run-cli.ts';

const existing: Readonly<Partial<Record<EntityName, string>>> = {
  user: 'alice',
  business: 'acme',
  client: 'billing-service',
  group: 'ops',
  corporateGroup: 'holding',
  apiKey: 'k1',
  factor: 'main-email',
  role: 'DEPLOY',
};

const seed = {
  businesses: [{ businessId: 'acme', businessName: 'Acme' }],
  users: [{ userId: 'alice', userName: 'alice', userEmail: 'alice@example.com', businessId: 'acme' }],
  clients: [{ clientId: 'c1', appId: 'billing', serviceAccountId: 'billing-service', userId: 'alice' }],
  groups: [{ groupName: 'ops', roles: ['DEPLOY'], users: ['alice'] }],
  corporateGroups: [{ corporateGroupId: 'holding', corporateGroupName: 'Holding' }],
  apiKeys: [{ apiKeyId: 'k1', appId: 'reports', clientId: 'c1', apiKey: `${'k'.repeat(42)}E=` }],
};

/** What a command needs besides the values that refer to objects. */
const options: Readonly<Record<string, string>> = {
  'groups create': '--group-name new',
  'groups update': '--organization-id x',
  'users create': '--user-name new --user-email new@example.com',
  'users update': '--lead true',
  'users lock': '--reason test',
  'users factors add': '--contact-type EMAIL --email new@example.com',
  'users factors update': '--tag work',
  'users provision-logon': '--logon SMITH01 --password-file -',
  'users set-password': '--without-code --password-stdin',
  'corporate-groups create': '--corporate-group-name new',
  'corporate-groups update': '--corporate-group-name new',
  'customers create-business': '--business-name New --document 77',
  'customers create-user': '--document 77',
  'clients create': '--app-id new',
  'clients migrate': '--target.organization-id x --target.business-unit-id y',
  'clients update': '--app-id new',
  'api-key create': '--app-id new',
  'api-key update': '--app-id new',
  'faults add': '--fail 503 --yes',
};

/** Places of names that need not exist: of what is created, in a search, a log or a profile, or of what a list shall lack. */
const unbound = [
  'state save',
  'requests wait',
  'login',
  'profile add',
  'users invite',
  'users set-password --client-id',
  'users create --client-id',
  // The service names the relation that is missing.
  'users roles --business-id',
  'can --business',
  'groups business-users add user-id',
];
/** Commands of callers that have a second factor: `groups`, `users` and `clients` have the same. */
const ofUsers = ['factors', 'my-clients'];

interface Place {
  readonly path: string;
  readonly name: string;
  readonly source: Reference;
  readonly command: Command;
}

const output = new Writable({ write: (_, __, done) => done() });
const program = await buildCompleteProgram(output);
const reported = Object.values(errorTable).flatMap((entry) => ('entity' in entry ? [entry.entity as string] : []));

function listPlaces(command: Command, above: readonly string[] = []): Place[] {
  return command.commands.flatMap((below) => {
    const path = [...above, below.name()].join(' ');
    const names = [
      ...below.registeredArguments.map((argument) => argument.name()),
      ...below.options.flatMap(({ long }) => long ?? []),
    ];
    const own = names.flatMap((name) =>
      sourcesOf(below, name).flatMap((source) =>
        typeof source !== 'string' && isIdentifying(source) ? [{ path, name, source, command: below }] : [],
      ),
    );
    return [...own, ...listPlaces(below, [...above, below.name()])];
  });
}

/** Whether the value identifies one object of a kind whose absence is an error of its own. */
function isIdentifying({ entity, by }: Reference): boolean {
  const isKey = by.includes(idPropertyOf(entity) === '' ? 'name' : 'id') || by[0] === 'serviceAccount';
  return isKey && reported.includes(entity);
}

const isAudit = ({ path }: Place) => Number(path === 'audit');

/** `audit` is first: it finds what the rejected requests of the others named. */
const places = listPlaces(program)
  .filter(
    ({ path, name }) =>
      !unbound.includes(path) &&
      !unbound.includes(`${path} ${name}`) &&
      !(path.endsWith(' list') && name === '--name') &&
      !path.endsWith(' edit') &&
      !ofUsers.includes(path.split(' ')[0] ?? ''),
  )
  .sort((one, other) => isAudit(other) - isAudit(one));

/** The command line with a value in this place, and an existing object in each other one that is required. */
function lineOf({ path, name, command }: Place, value: string): string[] {
  const isOption = name.startsWith('--');
  const args = command.registeredArguments.flatMap((argument) => {
    if (argument.name() === name) return [value];
    const [other] = sourcesOf(command, argument.name());
    const isFilled = argument.required || (!isOption && (argument.variadic || path.includes('add-')));
    return isFilled ? [(typeof other === 'object' && existing[other.entity]) || 'x1'] : [];
  });
  const yes = command.options.some(({ long }) => long === '--yes') ? ['--yes'] : [];
  const needed = (options[path] ?? '').split(' ').filter((word) => word !== '');
  const client = path === 'api-key create' && name !== '--client-id' ? ['--client-id', 'c1'] : [];
  return [...path.split(' '), ...args, ...(isOption ? [name, value] : []), ...needed, ...client, ...yes];
}

let server: TestServer;
let variables: Readonly<Record<string, string>>;
beforeAll(async () => {
  server = await startServer({ seed, recordsStatuses: false });
  const { accessToken } = await server.as(adminClient).clientIdentities.login();
  variables = { IAM_BASE_URL: server.url, IAM_TOKEN: accessToken };
});
afterAll(() => server[Symbol.asyncDispose]());

const run = (words: readonly string[], more: RunOptions = {}) =>
  iam(words, { stdin: 'correct horse battery\n', ...more, variables });

/** One of each command in a full run, otherwise one of each kind of object and place. */
function sample<Found extends Place>(all: readonly Found[]): Found[] {
  const kinds = new Map(
    all.map((place) => [`${place.source.entity} ${place.name.startsWith('--')} ${place.source.by[0]}`, place]),
  );
  return isFullRun ? [...all] : [...kinds.values()];
}

describe.each(['jose nuñez', 'x'.repeat(70), 'unknown'])('%s', (value) => {
  test('is not found in any place of a command, and nothing is written', async () => {
    const before = await server.dump();
    const found = [];
    for (const place of sample(places)) {
      const words = lineOf(place, value);
      const { code, err } = await run(words);
      const [message = ''] = err.split('\n');
      const isNamed = message.includes(value) && /not found|Not a member|not depend|has no user/.test(message);
      const isListed = /^ {2}hint .*`iam .*(list|get|members)( \S+)*`/m.test(err) || place.source.entity === 'sandbox';
      found.push({ line: words.join(' '), code, isNamed: isNamed || message, isListed: isListed || err });
    }
    expect(found).toEqual(found.map(({ line }) => ({ line, code: 3, isNamed: true, isListed: true })));
    expect(await server.dump()).toEqual(before);
  }, 120_000);
});

test('what does not exist is no failure with --if-exists, whatever its name looks like', async () => {
  const deletes = places.filter(
    ({ command, name }) =>
      command.options.some(({ long }) => long === '--if-exists') && command.registeredArguments.at(-1)?.name() === name,
  );
  expect(deletes.length).toBeGreaterThan(8);
  for (const place of deletes.filter(({ source }) => source.entity !== 'role'))
    for (const value of ['jose nuñez', 'unknown'])
      expect([place.path, await run([...lineOf(place, value), '--if-exists'])]).toMatchObject([
        place.path,
        { code: 0, err: expect.stringMatching(/does not exist\n$/) },
      ]);
});

test.each([
  ['groups remove-role ops NIX', '`iam groups get ops`'],
  ['groups users remove ops unknown id:like@name.example', '`iam groups members ops`'],
])('iam %s names the group in its hint', async (line, command) => {
  expect((await run(line.split(' '))).err.replaceAll(/\s+/g, ' ')).toContain(command);
});

test('a question is asked about what exists only', async () => {
  const destructive = places.filter(
    ({ command, name }) =>
      command.options.some(({ long }) => long === '--yes') && command.registeredArguments.at(-1)?.name() === name,
  );
  for (const place of destructive)
    for (const value of isFullRun ? ['jose nuñez', 'unknown'] : ['unknown']) {
      const { prompter, questions } = createScriptedPrompter();
      const words = lineOf(place, value).filter((word) => word !== '--yes');
      const { code } = await run(words, { columns: 80, prompter });
      expect({ path: place.path, code, questions }).toEqual({ path: place.path, code: 3, questions: [] });
    }
});

/** Output that cannot be written is an error; what was created is named, so that it can be found and revoked. */
import { PassThrough, Readable, type Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { run } from '../../../src/cli/run.ts';
import { entityOf } from '../../../src/contract/entities.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { startFakeServer } from '../../client/fake-server.ts';
import { readCatalogue } from '../conformance/example-runner.ts';
import { drainStream } from '../drain-stream.ts';
import { createFailingStream } from '../failing-stream.ts';

async function runWith(stdout: Writable, url: string, words: readonly string[]) {
  const stderr = new PassThrough();
  const io = {
    ...{ stderr, stdin: Readable.from(['{}']), signal: new AbortController().signal, releaseSignals: () => undefined },
    stdout,
  };
  const variables = {
    XDG_CONFIG_HOME: '/nonexistent',
    XDG_STATE_HOME: '/nonexistent',
    IAM_BASE_URL: url,
    IAM_TOKEN: 't',
  };
  const code = await run(words, io, { variables, now: () => 0, random: () => 0 });
  return { code, err: drainStream(stderr) };
}

const creating = manifest.operations.filter(({ creates, response }) => creates !== undefined && response.schema);

describe.each([
  ['a full disk', () => createFailingStream('ENOSPC')],
  ['a closed pipe', () => createFailingStream('EPIPE')],
])('%s', (_, output) => {
  test.each(creating.map(({ id }) => id))('of %s: exit code 70 with the id of what was created', async (id) => {
    const operation = manifest.operations.find((one) => one.id === id);
    const property = entityOf(operation?.creates ?? 'user').properties.id ?? '';
    const secrets = Object.keys(operation?.response.schema?.properties ?? {}).map((name) => [name, 'secret-text']);
    await using server = await startFakeServer(() => ({
      json: { ...Object.fromEntries(secrets), [property]: 'the-id' },
    }));
    const { code, err } = await runWith(output(), server.url, ['call', id, '-f', '-']);
    expect(code, err).toBe(70);
    expect(err).toMatch(/^error: (the-id|secret-text) was created\. Cannot write the output/);
    expect(err.includes('the-id')).toBe(true);
    const removal = manifest.operations.find(
      ({ method, path, command, params }) =>
        method === 'DELETE' && command && path === `${operation?.path}/{${params[0]?.name}}`,
    );
    if (removal) expect(err).toContain(`\`iam ${removal.command} `);
  });
});

/** Of each command that creates something: the line, the response, the ids and the command that deletes it. */
const created: Readonly<Record<string, readonly [line: string, response: unknown, ids: string, undo?: string]>> = {
  'groups create': ['--group-name ops', { groupId: 'g1' }, 'g1', 'groups delete g1'],
  'corporate-groups create': [
    '--corporate-group-name a',
    { corporateGroupId: 'g1' },
    'g1',
    'corporate-groups delete g1',
  ],
  'users create': [
    '--user-name a --user-email a@example.com --user-id u1',
    { accessToken: 'opaque' },
    'u1',
    'users delete u1',
  ],
  'users create --without-code': ['--user-name a', { userId: 'u1', userName: 'a' }, 'u1', 'users delete u1'],
  // The service deletes no customer.
  'customers create-business': ['--business-name A --document 1', { customerId: 7, businessId: 'b1' }, '7'],
  'customers create-user': ['alice --name A --document 1', { customerId: 7, userId: 'alice' }, '7'],
  'clients create': ['--app-id a', { clientId: 'c1', clientSecret: 's' }, 'c1', 'clients delete c1'],
  'my-clients create': ['--app-id a', { clientId: 'c1', clientSecret: 's' }, 'c1', 'my-clients delete c1'],
  'api-key create': ['--app-id a --client-id c1', { apiKeyId: 'k1', apiKey: 's' }, 'k1', 'api-key delete k1'],
  'users factors add': [
    'alice --contact-type EMAIL --email a@example.com',
    [{ id: 'f1' }, { id: 'f2' }],
    'f1, f2',
    'users factors remove alice f1 f2',
  ],
  'factors add': ['--contact-type EMAIL --email a@example.com', [{ id: 'f1' }], 'f1', 'factors remove f1'],
  'sessions create': [
    'alice',
    { sessionId: 's1', userId: 'alice', accessToken: 't', tokenType: 'Bearer', expiresIn: 1 },
    's1',
    'sessions end s1',
  ],
  'sandbox create': ['a', { name: 'a' }, 'a', 'sandbox delete a'],
  'faults add': ['--fail 503 --yes', { id: 'f1' }, 'f1', 'faults remove f1'],
  'state save': ['a', { name: 'a' }, 'a', 'state delete a'],
};

test.each(Object.entries(created))('iam %s names what it created', async (command, [line, json, ids, undo]) => {
  await using server = await startFakeServer(({ method }) => ({ json: method === 'GET' ? [] : json }));
  const words = `${command} ${line}`.split(' ');
  const { code, err } = await runWith(createFailingStream('ENOSPC'), server.url, words);
  expect(code, err).toBe(70);
  expect(err).toMatch(new RegExp(`^error: ${ids} (was|were) created(, or existed before)?\\. Cannot write the output`));
  if (undo !== undefined) expect(err).toContain(`\`iam ${undo}\``);
});

test('every command that creates something is among them', async () => {
  const commands = (await readCatalogue()).filter(({ effect }) => effect === 'write').map(({ command }) => command);
  const creating = commands.filter((command) => / (create.*|save|add)$/.test(command) && !isMembership(command));
  expect(
    Object.keys(created)
      .filter((command) => !command.includes('--'))
      .sort(),
  ).toEqual(creating.sort());
});

/** It adds what exists. */
function isMembership(command: string): boolean {
  return /^groups .* add$/.test(command);
}

test.each([
  ['clients rotate-secret c1 --yes', 'the command again'],
  ['api-key rotate key-1 --overlap 1h', 'it with --overlap 1h --keep oldest again'],
])('%s names what was replaced if the new value cannot be printed', async (line, again) => {
  await using server = await startFakeServer(({ method }) =>
    method === 'GET'
      ? { json: {} }
      : { json: { clientId: 'c1', clientSecret: 'secret-text', apiKeyId: 'key-1', apiKey: 'secret-text' } },
  );
  const { code, err } = await runWith(createFailingStream('ENOSPC'), server.url, line.split(' '));
  expect([code, err]).toEqual([70, expect.stringMatching(`was replaced. Cannot write[^]*lost: run ${again}`)]);
});

test.each([
  ['ENOSPC', 70],
  ['EPIPE', 0],
] as const)('a read whose output fails with %s ends with %i', async (failure, expected) => {
  await using server = await startFakeServer(() => ({ json: [{ groupId: 'g1', groupName: 'ops' }] }));
  const { code, err } = await runWith(createFailingStream(failure), server.url, ['groups', 'list']);
  expect(code, err).toBe(expected);
});

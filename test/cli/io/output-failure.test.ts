/** Output that cannot be written is an error; what was created is named, so that it can be found and revoked. */
import { PassThrough, Readable, type Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { run } from '../../../src/cli/run.ts';
import { entityOf } from '../../../src/contract/entities.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { startFakeServer } from '../../client/fake-server.ts';
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
  ['EBADF', 70],
  ['EPIPE', 0],
] as const)('a read whose output fails with %s ends with %i', async (failure, expected) => {
  await using server = await startFakeServer(() => ({ json: [{ groupId: 'g1', groupName: 'ops' }] }));
  const { code, err } = await runWith(createFailingStream(failure), server.url, ['groups', 'list']);
  expect(code, err).toBe(expected);
});

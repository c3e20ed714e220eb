import { describe, expect } from 'vitest';
import { saveProfile } from '../../../../src/cli/config/profile.ts';
import { errorResponse, startFakeServer } from '../../../client/fake-server.ts';
import { adminClient, startServer } from '../../../harness.ts';
import { createScriptedPrompter } from '../../prompts/scripted-prompter.ts';
import { Home, test } from '../../run-cli.ts';

const credentials = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };

async function startDurable() {
  const home = await Home.make();
  const server = await startServer({ flags: { store: 'file' } });
  const run = { url: server.url, variables: credentials };
  await home.iam(['state', 'save', 'a'], run);
  await home.iam(['state', 'export', '-f', home.file('state.json')], run);
  await server.admin.groups.create({ body: { groupName: 'precious' } });
  return {
    home,
    server,
    run,
    hasGroup: async () => (await server.appContext.store.groups.getBy('groupName', 'precious')) !== undefined,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

describe.each(['reset', 'restore', 'import'])('state %s of a durable store', (verb) => {
  const words = (home: Home) =>
    ({ reset: ['reset'], restore: ['restore', 'a'], import: ['import', home.file('state.json'), '--force'] })[verb] ??
    [];

  test('is rejected without host:port, and shows the server, the store and its rows', async () => {
    await using durable = await startDurable();
    const { home, server, run, hasGroup } = durable;
    const before = await server.dump();
    const { host } = new URL(server.url);
    for (const more of [[], ['--yes']]) {
      const { code, out, err } = await home.iam(['state', ...words(home), ...more], run);
      expect([code, out]).toEqual([10, '']);
      expect(err).toContain(`${server.url} has a durable store`);
      expect(err).toContain(`--confirm ${host}`);
    }
    expect((await home.iam(['state', ...words(home), '--confirm', 'other:1'], run)).code).toBe(2);
    const wrong = createScriptedPrompter('yes');
    const asked = await home.iam(['state', ...words(home), '--yes'], { ...run, columns: 80, ...wrong });
    expect(asked).toMatchObject({
      code: 1,
      err: expect.stringMatching(/contains:\n {4}groups +\d+\n {4}users +\d+\n/),
    });
    expect(wrong.questions).toMatchObject([
      { type: 'input', message: expect.stringContaining(`Type ${host} to confirm`) },
    ]);
    expect(await hasGroup()).toBe(true);
    expect((await server.dump()).groups).toEqual(before.groups);
  });

  test.each(['typed', 'passed'])('is done with the name %s', async (how) => {
    await using durable = await startDurable();
    const { home, server, run, hasGroup } = durable;
    const { host } = new URL(server.url);
    const outcome =
      how === 'typed'
        ? await home.iam(['state', ...words(home)], { ...run, columns: 80, ...createScriptedPrompter(host) })
        : await home.iam(['state', ...words(home), '--confirm', host], run);
    expect([outcome.code, await hasGroup()]).toEqual([0, false]);
  });
});

test('a sandbox of a durable server reports a store in memory and needs no name', async () => {
  await using durable = await startDurable();
  const { home, server } = durable;
  const sandbox = { url: `${server.url}/s/box`, variables: credentials };
  const settings = await home.iam(['api', 'GET', '/_iam/settings', '-o', 'json'], sandbox);
  expect(JSON.parse(settings.out)).toMatchObject({ store: 'memory' });
  expect((await home.iam(['state', 'reset'], sandbox)).code).toBe(10);
  expect((await home.iam(['state', 'reset', '--yes'], sandbox)).code).toBe(0);
  expect(await durable.hasGroup()).toBe(true);
});

test('settings that the caller may not read count as durable', async ({ home }) => {
  await using server = await startFakeServer(() => errorResponse(403, 'FORBIDDEN'));
  const outcome = await home.iam(['state', 'reset', '--yes'], { url: server.url, variables: { IAM_TOKEN: 'any' } });
  expect(outcome).toMatchObject({ code: 10, err: expect.stringContaining('may be durable') });
  expect(server.received.every(({ method }) => method === 'GET')).toBe(true);
});

test('a read-only profile sends nothing', async ({ home }) => {
  await using server = await startFakeServer(() => ({ json: { store: 'file' } }));
  await saveProfile('fixed', { baseUrl: server.url, token: 't', readOnly: true }, home.variables);
  expect((await home.iam(['state', 'reset', '--profile', 'fixed', '--confirm', 'x'])).code).toBe(2);
  expect(server.received).toEqual([]);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entityOf } from '../../../src/contract/entities.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { iam } from '../run-cli.ts';

const creations = manifest.operations.filter(({ creates, command }) => creates !== undefined && command !== undefined);

describe('--if-not-exists', () => {
  let server: TestServer;
  let variables: Record<string, string>;
  const run = (line: string) => iam(line.split(' '), { url: server.url, variables });

  beforeAll(async () => {
    server = await startServer();
    const credentials = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
    const { out } = await iam(['token', 'generate'], { url: server.url, variables: credentials });
    variables = { IAM_BASE_URL: server.url, IAM_TOKEN: out.trim() };
  });

  afterAll(() => server[Symbol.asyncDispose]());

  test.each(creations.map(({ command, creates }) => [command, creates] as const))(
    'is an option of %s, where a name conflict means that the entity exists',
    async (command = '', creates = 'group') => {
      const { out } = await run(`${command} --help`);
      expect(out.includes('--if-not-exists')).toBe(entityOf(creates).ifNotExists !== false);
    },
  );

  test.each([
    ['groups create --group-name ops', 'groupId'],
    ['corporate-groups create --corporate-group-name holding', 'corporateGroupId'],
    ['users create --user-id u1 --user-name alice --user-email alice@example.com', 'userId'],
    ['users create --user-name bob --user-email bob@example.com', 'userId'],
    ['clients create --app-id billing --service-account-id billing-service', 'clientId'],
  ])('of %s prints the id in both cases, and which happened', async (line, field) => {
    const first = await run(`${line} --if-not-exists -o json`);
    expect(first).toMatchObject({ code: 0, err: expect.stringContaining('Created.') });
    const created = JSON.parse(first.out);
    expect(created).toMatchObject({ [field]: expect.any(String), created: true });
    const before = await server.dump();
    const again = await run(`${line} --if-not-exists -o json`);
    expect(again).toEqual({ code: 0, out: expect.any(String), err: 'Already exists; nothing was changed.\n' });
    expect(JSON.parse(again.out)).toEqual({ [field]: created[field], created: false });
    expect(await server.dump()).toEqual(before);
    expect((await run(line)).code).toBe(6);
  });

  test('of a user finds the name in any case, and prints the id for -o name', async () => {
    const { out } = await run('users create --user-name Carol --user-email c@example.com -o name');
    const again = await run('users create --user-name cAROL --user-email c@example.com -o name --if-not-exists');
    expect(again).toMatchObject({ code: 0, out });
  });

  test.each([
    ['another user has the name', 'users create --user-id other --user-name taken --user-email t@example.com'],
    ['a login name of another user', 'users create --user-name alias --user-email t@example.com'],
    ['a client has the id', 'users create --user-id test-admin --user-name free --user-email t@example.com'],
  ])('reports the conflict where %s', async (_, line) => {
    await run('users create --user-id taken1 --user-name taken --user-email t@example.com');
    await run('users add-identity taken1 --identity alias');
    const before = await server.dump();
    const outcome = await run(`${line} --if-not-exists`);
    expect(outcome).toMatchObject({ code: 6, out: '', err: expect.stringMatching(/LOGIN_NAME_TAKEN|ID_TAKEN/) });
    expect(await server.dump()).toEqual(before);
  });

  test('of an entity that no caller can look up succeeds, and says that its id is not known', async () => {
    await using closed = await startServer({ flags: { 'disable-control-plane': true } });
    const credentials = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
    const line = 'users create --user-name dora --user-email dora@example.com --if-not-exists -o json';
    const create = () => iam(line.split(' '), { url: closed.url, variables: credentials });
    expect(JSON.parse((await create()).out)).toMatchObject({ userId: expect.any(String), created: true });
    const again = await create();
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining('Its id is not known') });
    expect(JSON.parse(again.out)).toEqual({ created: false });
    const byId = await iam([...line.split(' '), '--user-id', 'd1'], { url: closed.url, variables: credentials });
    expect(byId).toMatchObject({ code: 0, err: expect.stringContaining('Its id is not known') });
  });
});

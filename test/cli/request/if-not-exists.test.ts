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
  ])('of %s prints the fields of the existing entity', async (line, field) => {
    const first = JSON.parse((await run(`${line} -o json`)).out);
    const again = await run(`${line} --if-not-exists -o json`);
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining('nothing was changed') });
    expect(JSON.parse(again.out)).toEqual({ [field]: first[field] });
    expect((await run(line)).code).toBe(6);
  });

  test.each([
    'users create --user-id u1 --user-name alice --user-email alice@example.com',
    'users create --user-name bob --user-email bob@example.com',
    'clients create --app-id billing --service-account-id billing-service',
  ])('of %s, whose fields cannot be read again, succeeds without them', async (line) => {
    expect((await run(line)).code).toBe(0);
    const again = await run(`${line} --if-not-exists`);
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining('nothing was changed') });
    expect((await run(line)).code).toBe(6);
  });
});

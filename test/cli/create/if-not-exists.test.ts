import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminClient, appClientId, startServer, type TestServer } from '../../harness.ts';
import { iam } from '../run-cli.ts';

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

  test('of a user finds the name in any case, and prints the id for -o name', async () => {
    const { out } = await run('users create --user-name Carol --user-email c@example.com -o name');
    const again = await run('users create --user-name cAROL --user-email c@example.com -o name --if-not-exists');
    expect(again).toMatchObject({ code: 0, out });
  });

  test('does not know who created what a read finds after a lost response', async () => {
    const line = 'groups create --group-name lost --if-not-exists -o json';
    await run('faults add --operation groups.create --times 1 --drop after');
    const { code, out, err } = await run(line);
    expect([code, JSON.parse(out)]).toEqual([0, { groupId: expect.any(String), created: null }]);
    expect(err).toContain('the response was lost');
    expect(JSON.parse((await run(line)).out)).toMatchObject({ created: false });
  });

  test('finds a name in another form of Unicode, and calls it no difference', async () => {
    const line = 'clients create --app-id cafe\u0301 --service-account-id svc-cafe --if-not-exists';
    await run(line);
    expect(await run(line)).toMatchObject({ code: 0, err: expect.not.stringContaining('to the request') });
  });

  test('the address of an existing user is the same in every form, also for an update', async () => {
    await run('users create --user-name d@bücher.de --user-email d@bücher.de --without-code --verified');
    for (const email of [
      'd@bücher.de',
      'd@xn--bcher-kva.de',
      'd@BU\u0308CHER.de',
      'd@bücher。de',
      'd@XN--BCHER-KVA.DE',
    ]) {
      const again = await run(`users create --user-name ${email} --user-email ${email} --without-code --if-not-exists`);
      expect(again).toMatchObject({ code: 0, err: expect.not.stringContaining('->') });
      const updated = await run(`users update d@bücher.de --user-name ${email} --user-email ${email}`);
      expect(updated).toMatchObject({ code: 0, err: expect.stringContaining('nothing to change') });
    }
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

describe('--if-not-exists of what a stranger made', () => {
  const credentials = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
  const run = ({ url }: TestServer, line: string, variables: Record<string, string> = credentials) =>
    iam([...line.split(' '), '--if-not-exists', '-o', 'json'], { url, variables });

  async function expectRejected(server: TestServer, line: string, id: string, variables?: Record<string, string>) {
    const before = await server.dump();
    const { code, out, err } = await run(server, line, variables);
    expect({ code, out }).toEqual({ code: 6, out: '' });
    const { error } = JSON.parse(err) as { error: Record<string, unknown> };
    expect(error).toMatchObject({
      code: expect.stringMatching(/^(ID|LOGIN_NAME)_TAKEN$/),
      hint: expect.stringContaining(id),
    });
    expect(await server.dump()).toEqual(before);
  }

  const signUp = async (server: TestServer, body: { userId?: string; userName: string }) => {
    const query = { clientId: appClientId };
    await server.as().userIdentities.create({ query, body: { userEmail: 'stranger@example.com', ...body } });
    return (await server.appContext.store.users.getBy('login', body.userName))?.userId ?? '';
  };

  test.each(['', ' --without-code'])(
    'rejects the name of a user who signed up with it: users create%s',
    async (more) => {
      await using server = await startServer();
      const id = await signUp(server, { userName: 'deploy-bot' });
      const line = `users create --user-name Deploy-Bot --user-email deploy@corp.test${more}`;
      await expectRejected(server, line, `id:${id}`);
      await server.admin.userIdentities.update({ params: { id }, body: { userName: 'deploy-bot' } });
      const { code, out } = await run(server, line);
      expect([code, JSON.parse(out)]).toEqual([0, { userId: id, created: false }]);
    },
  );

  test('rejects the id of a user who signed up with it', async () => {
    await using server = await startServer();
    await signUp(server, { userId: 'deploy-bot', userName: 'stranger' });
    const line = 'users create --user-id deploy-bot --user-name deploy --user-email deploy@corp.test';
    await expectRejected(server, line, 'id:deploy-bot');
  });

  const strangersClient = {
    appId: 'invoices',
    serviceAccountId: 'invoices',
    party: '3RDPARTY',
    userId: 'u-other',
  } as const;
  const invoices = '--app-id invoices --service-account-id invoices';

  test('rejects the client of another owner: clients create', async () => {
    await using server = await startServer();
    const { clientId } = await server.makeClient(strangersClient);
    await expectRejected(server, `clients create ${invoices}`, `id:${clientId}`);
  });

  test('rejects the client of another owner, and accepts an own one: my-clients create', async () => {
    const groups = [{ groupName: 'administrators', roles: ['ADMIN'], users: ['u-root'] }];
    const users = [{ userId: 'u-root', userName: 'root' }];
    await using server = await startServer({ seed: { users, groups } });
    const { clientId } = await server.makeClient(strangersClient);
    const words = ['sessions', 'create', 'root', '--client-id', appClientId, '--level', 'AUTH-MFA', '--show-token'];
    const session = await iam([...words, '-o', 'json'], { url: server.url, variables: credentials });
    const variables = { IAM_TOKEN: (JSON.parse(session.out) as { accessToken: string }).accessToken };
    await expectRejected(server, `my-clients create ${invoices}`, `id:${clientId}`, variables);
    const line = 'my-clients create --app-id reports --service-account-id reports';
    const own = JSON.parse((await run(server, line, variables)).out) as { clientId: string };
    const { code, out } = await run(server, line, variables);
    expect([code, JSON.parse(out)]).toEqual([0, { clientId: own.clientId, created: false }]);
  });
});

/** What the suite sends and leaves behind, and what it does not. */
import { expect } from 'vitest';
import { saveProfile } from '../../../../src/cli/config/profile.ts';
import { adminClient, startServer } from '../../../harness.ts';
import { iam, test } from '../../run-cli.ts';
import { checkConformance, listEntities, type Message, startDeviation } from './deployment.ts';

const select = (...operations: string[]) => operations.flatMap((id) => ['--operation', id]);
const isWrite = ({ method }: Message) => method !== 'GET';

test('deletes what a deployment created although it should have refused', async () => {
  await using server = await startServer();
  const before = await listEntities(server);
  // It adds the missing fields, so that each refused creation succeeds.
  await using target = await startDeviation(server, {
    request: (message) => {
      const isCreation = message.method === 'POST' && message.path === '/groups' && message.body === '{}';
      const isAuthenticated = message.headers.authorization?.includes('.') ?? false;
      return isCreation && isAuthenticated ? { ...message, body: '{"groupName":"anything"}' } : message;
    },
  });
  const { code, report } = await checkConformance(server, target.url, ['--operation', 'groups.create']);
  expect(code).toBe(1);
  expect(report.differences).toContainEqual(
    expect.objectContaining({ case: 'missing fields', expected: '400', seen: '201' }),
  );
  expect(await listEntities(server)).toEqual(before);
  expect(report.leftOver).toEqual([]);
});

test('deletes what it created after an interruption', async () => {
  await using server = await startServer();
  const before = await listEntities(server);
  const controller = new AbortController();
  await using target = await startDeviation(server, {
    response: (reply, { path, method }) => {
      if (method === 'POST' && path.endsWith('/role') && reply.status === 201) controller.abort('SIGINT');
      return reply;
    },
  });
  const creations = select(
    'groups.add-role',
    'client-identities.create',
    'corporate-groups.create',
    'user-identities.create',
  );
  const run = await checkConformance(server, target.url, ['--allow-writes', ...creations], {
    variables: { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret },
    signal: controller.signal,
  });
  expect(run.code).toBe(130);
  expect(run.err).toContain('Interrupted. Deleting what the suite created.');
  expect(target.received.some(({ method, path }) => method === 'POST' && path.endsWith('/role'))).toBe(true);
  expect(await listEntities(server)).toEqual(before);
});

test('deletes an entity whose response was lost', async () => {
  await using server = await startServer();
  const before = await listEntities(server);
  await using target = await startDeviation(server, {
    response: (reply, { method, path }) =>
      method === 'POST' && ['/groups', '/corporate-groups', '/api-key'].includes(path) && reply.status === 201
        ? { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' }
        : reply,
  });
  const creations = select('groups.create', 'corporate-groups.create', 'api-key.create');
  const { code, report } = await checkConformance(server, target.url, ['--allow-writes', ...creations]);
  expect(code).toBe(1);
  expect(report.leftOver).toEqual([]);
  expect(await listEntities(server)).toEqual(before);
});

test('lists what could not be deleted, with the command that deletes it', async () => {
  await using server = await startServer();
  await using target = await startDeviation(server, {
    reply: ({ method, path }) =>
      method === 'DELETE' && path.startsWith('/corporate-groups/')
        ? { status: 500, headers: { 'content-type': 'application/json' }, body: '[{"code":"INTERNAL","message":"x"}]' }
        : undefined,
  });
  const words = ['--allow-writes', ...select('corporate-groups.create')];
  const { report, err } = await checkConformance(server, target.url, words);
  expect(report.leftOver).toHaveLength(1);
  const [{ entity = '', command = '' } = {}] = report.leftOver;
  expect(entity).toMatch(/^corporate group iam-conformance-[0-9a-f]{8}-corporate$/);
  expect(err).toContain(`warning: ${entity} was not deleted: 500 INTERNAL.\nDelete it with: ${command}\n`);
  const deletion = command.split(' ').slice(1);
  const variables = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
  const now = () => server.clock.now().getTime();
  expect((await iam(deletion, { url: server.url, variables, now })).code).toBe(0);
  expect((await listEntities(server)).corporateGroups).toEqual([]);
});

test('with a read-only profile sends reads only, and refuses writes before the first request', async ({ home }) => {
  await using server = await startServer();
  await using target = await startDeviation(server, {});
  await saveProfile('production', { baseUrl: target.url, ...adminClient, readOnly: true }, home.variables);
  const options = { variables: home.variables };
  const refused = await checkConformance(server, target.url, ['--profile', 'production', '--allow-writes'], options);
  expect({ code: refused.code, requests: target.received }).toEqual({ code: 2, requests: [] });
  const { code, report } = await checkConformance(server, target.url, ['--profile', 'production'], options);
  expect({ code, differences: report.differences }).toEqual({ code: 0, differences: [] });
  const sent = target.received.filter(isWrite).map(({ path }) => path);
  expect([...new Set(sent)]).toEqual(['/client-identities/login']);
  expect(report.notChecked).toContainEqual(expect.objectContaining({ reason: 'the profile is read-only' }));
});

test('a limit of changes counts every request that is no read', async ({ home }) => {
  await using server = await startServer();
  await using target = await startDeviation(server, {});
  await saveProfile('limited', { baseUrl: target.url, ...adminClient, maxChanges: 20 }, home.variables);
  const { code, err } = await checkConformance(server, target.url, ['--profile', 'limited'], {
    variables: home.variables,
  });
  expect(code).toBe(2);
  expect(JSON.parse(err)).toMatchObject({ error: { code: 'TOO_MANY_CHANGES' } });
  expect(target.received.filter(isWrite).map(({ path }) => path)).toEqual(['/client-identities/login']);
});

test('waits for a busy deployment', async () => {
  await using server = await startServer();
  let busy = 3;
  await using target = await startDeviation(server, {
    reply: ({ path }) => {
      if (path !== '/groups' || busy === 0) return undefined;
      busy -= 1;
      return { status: 429, headers: { 'retry-after': '1' }, body: '' };
    },
  });
  const { code, report } = await checkConformance(server, target.url, ['--operation', 'groups.list']);
  expect({ code, differences: report.differences, busy }).toEqual({ code: 0, differences: [], busy: 0 });
});

test('a deployment that does not respond is a temporary failure', async () => {
  await using server = await startServer();
  const { code, err } = await checkConformance(server, 'http://127.0.0.1:1');
  expect(code).toBe(75);
  expect(JSON.parse(err)).toMatchObject({ error: { code: 'NETWORK' } });
});

test('--list prints the cases and sends nothing', async () => {
  await using server = await startServer();
  await using target = await startDeviation(server, {});
  const { code, report } = await checkConformance(server, target.url, ['--list', '--operation', 'groups.get']);
  expect({ code, requests: target.received }).toEqual({ code: 0, requests: [] });
  expect(report).toContainEqual({ operation: 'groups.get', case: 'no credentials', kind: 'refusal', method: 'GET' });
});

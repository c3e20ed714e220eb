/** Callers that lack roles: what they may not do is not checked, and is no difference. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manifest } from '../../../../src/contract/manifest.ts';
import { startSessionWithoutPassword } from '../../../../src/server/auth/sign-in.ts';
import { isFullRun } from '../../../effort.ts';
import { startServer, type TestServer } from '../../../harness.ts';
import { checkConformance, listEntities, startDeviation } from './deployment.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    seed: {
      users: [{ userId: 'alice', userName: 'alice', userEmail: 'alice@example.com' }],
      groups: [{ groupName: 'auditors', roles: ['IAM_ADMIN_READ_ONLY'], users: ['alice'] }],
    },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

async function clientVariables(authorities: readonly string[]): Promise<Record<string, string>> {
  const { clientId, clientSecret } = await server.makeClient({ authorities: [...authorities] });
  return { IAM_CLIENT_ID: clientId, IAM_CLIENT_SECRET: clientSecret };
}

async function userVariables(level: string): Promise<Record<string, string>> {
  const request = { userId: 'alice', level: level as 'AUTH-BASIC', remember: false };
  const content = await startSessionWithoutPassword(request, server.appContext);
  const { accessToken } = await server.appContext.issuer.issue(content);
  return { IAM_TOKEN: accessToken };
}

async function apiKeyVariables(): Promise<Record<string, string>> {
  const { clientId } = await server.makeClient({ authorities: ['AUTH-BASIC', 'IAM_ADMIN_READ_ONLY'] });
  const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'reports', clientId } });
  return { IAM_API_KEY: apiKey };
}

const callers = {
  'a client that reads': () => clientVariables(['AUTH-BASIC', 'IAM_ADMIN_READ_ONLY']),
  'a client without roles': () => clientVariables([]),
  'a client with ADMIN': () => clientVariables(['AUTH-BASIC', 'AUTH-MFA', 'ADMIN']),
  'a user with a password': () => userVariables('AUTH-BASIC'),
  'a user with a second factor': () => userVariables('AUTH-MFA'),
  'an API key, whose roles are unknown': apiKeyVariables,
  'a caller without credentials': async () => ({}),
};

/** All operations in a full run; else each caller has a share of them. */
function listOperations(share: number): readonly string[] {
  if (isFullRun) return [];
  const own = manifest.operations.filter((_, at) => at % Object.keys(callers).length === share);
  return own.flatMap(({ id }) => ['--operation', id]);
}

const cases = Object.entries(callers).map(([who, variablesOf], at) => [who, variablesOf, listOperations(at)] as const);

test.each(cases)('%s finds no difference and leaves nothing', async (_who, variablesOf, operations) => {
  const variables = await variablesOf();
  const before = await listEntities(server);
  const words = ['--allow-writes', ...operations];
  const { code, err, report } = await checkConformance(server, server.url, words, { variables });
  expect(report.differences).toEqual([]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(report.operations.filter(({ cases }) => cases === 0)).toEqual([]);
  expect(await listEntities(server)).toEqual(before);
});

test('what a caller may not do names the roles', async () => {
  const variables = await clientVariables(['AUTH-BASIC', 'IAM_ADMIN_READ_ONLY']);
  const { report } = await checkConformance(server, server.url, ['--operation', 'groups.create'], { variables });
  expect(report.notChecked).toContainEqual({
    operation: 'groups.create',
    case: 'missing fields',
    reason: expect.stringMatching(/^the caller lacks a role: needs .*IAM_ADMIN_MAINTENANCE$/),
  });
  expect(report.checked).toContainEqual(
    expect.objectContaining({ case: 'caller without the role', expectedStatus: 403, result: 'same' }),
  );
});

test('a refusal of a role that the caller has is a difference', async () => {
  await using target = await startDeviation(server, {
    reply: ({ method, path, headers }) =>
      method === 'GET' && path === '/corporate-groups' && headers.authorization !== undefined
        ? {
            status: 403,
            headers: { 'content-type': 'application/json', 'x-request-id': 'r' },
            body: '[{"code":"ROLE_MISSING","message":"No."}]',
          }
        : undefined,
  });
  const words = ['--operation', 'corporate-groups.list'];
  const { report } = await checkConformance(server, target.url, words);
  expect(report.differences).toContainEqual(
    expect.objectContaining({ case: 'first page', aspect: 'status', expected: '206', seen: '403' }),
  );
  const unknown = await checkConformance(server, target.url, words, { variables: { IAM_API_KEY: 'k'.repeat(43) } });
  expect(unknown.code).toBeGreaterThan(0);
});

test('a deployment that accepts a caller without the role is a difference', async () => {
  const variables = await clientVariables(['AUTH-BASIC', 'IAM_ADMIN_READ_ONLY']);
  await using target = await startDeviation(server, {
    response: (reply, { path }) =>
      path === '/api-key' && reply.status === 403 ? { ...reply, status: 200, body: '[]' } : reply,
  });
  const { code, report } = await checkConformance(server, target.url, ['--operation', 'api-key.list'], { variables });
  expect(code).toBe(1);
  expect(report.differences).toEqual([
    expect.objectContaining({ case: 'caller without the role', aspect: 'status', expected: '403', seen: '200' }),
  ]);
});

test('a deployment with other settings is compared with a reference that has them', async () => {
  const flags = { 'soft-errors': true, 'signing-alg': 'EdDSA', 'expires-in': 'epoch' };
  await using soft = await startServer({ flags });
  const settings = ['--reference-setting', 'soft-errors=true', '--reference-setting', 'expires-in=epoch'];
  // Those whose responses the settings change, unless in a full run.
  const changed = ['user-identities.create', 'client-identities.connect-token', 'keys.get', 'groups.create'];
  const operations = isFullRun ? [] : changed.flatMap((id) => ['--operation', id]);
  const same = await checkConformance(soft, soft.url, ['--allow-writes', ...operations, ...settings]);
  expect({ code: same.code, differences: same.report.differences }).toEqual({ code: 0, differences: [] });
  const { report } = await checkConformance(soft, soft.url, [
    '--allow-writes',
    '--operation',
    'user-identities.create',
  ]);
  expect(report.differences).toContainEqual(
    expect.objectContaining({ operation: 'user-identities.create', aspect: 'status', expected: '412', seen: '200' }),
  );
  expect(report.leftOver).toEqual([]);
});

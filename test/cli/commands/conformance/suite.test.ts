/** The suite against the server of this package. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listReadScenarios } from '../../../../src/cli/conformance/reads.ts';
import { validBodies } from '../../../../src/cli/conformance/special-refusals.ts';
import { manifest } from '../../../../src/contract/manifest.ts';
import { startServer, type TestServer } from '../../../harness.ts';
import { checkConformance, type Report, startDeviation } from './deployment.ts';

let server: TestServer;
beforeAll(async () => {
  const businesses = ['acme', 'globex'].map((businessId) => ({ businessId, businessName: businessId }));
  const users = ['alice', 'bob'].map((userId) => ({ userId, userName: userId, businessId: 'acme' }));
  server = await startServer({
    seed: {
      businesses,
      users,
      clients: [{ clientId: 'billing', appId: 'billing', serviceAccountId: 'billing-service' }],
      groups: [
        {
          groupName: 'ops',
          users: users.map(({ userId }) => userId),
          businesses: businesses.map(({ businessId }) => businessId),
          businessUsers: users.map(({ userId, businessId }) => ({ userId, businessId })),
          services: ['billing-service'],
        },
      ],
      corporateGroups: [{ corporateGroupName: 'concern' }, { corporateGroupName: 'holding' }],
    },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

/** The operations whose normal result was not seen, without those that have a reason. */
function listUnaccounted({ operations, checked, notChecked }: Report): string[] {
  const succeeded = new Set(checked.filter(({ expectedStatus }) => expectedStatus < 400).map((one) => one.operation));
  const explained = new Set(notChecked.map(({ operation }) => operation));
  return operations.map(({ operation }) => operation).filter((id) => !succeeded.has(id) && !explained.has(id));
}

const unaccountedHint =
  'needs a step in src/cli/conformance/scenarios/ (a read: or in reads.ts), or a reason in src/cli/conformance/unchecked.ts';
const allIds = manifest.operations.map(({ id }) => id);

test('has a valid body for each operation with a body whose path names an entity, to send it to an unknown one', () => {
  // A service that created the logon before it looks for the user would leave it in the mainframe.
  const omitted = 'user-identities.provision-logon';
  const needed = manifest.operations.flatMap(({ id, params, body }) =>
    params.length > 0 && body && id !== omitted ? [id] : [],
  );
  expect(Object.keys(validBodies).toSorted()).toEqual(needed.toSorted());
});

test('finds no difference, reads each list and entity, and leaves the store as it was', async () => {
  const before = await server.dump();
  await using target = await startDeviation(server, {});
  const { code, err, report } = await checkConformance(server, target.url, ['--existing', 'groupId=ops']);
  expect(report.differences).toEqual([]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(report.operations.map(({ operation }) => operation)).toEqual(allIds);
  expect(report.operations.filter(({ cases }) => cases === 0)).toEqual([]);
  expect(listUnaccounted(report), unaccountedHint).toEqual([]);
  // Wrong codes for unknown names are counted, so that they cannot be guessed.
  const { codeFailures: _, ...after } = await server.dump();
  expect({ ...after, codeFailures: before.codeFailures }).toEqual(before);
  expect(target.received.filter(({ path }) => path.startsWith('/_iam'))).toEqual([]);
  const reads = listReadScenarios().flatMap(({ cases }) => cases.map(({ operation }) => operation));
  const succeeded = report.checked.filter(({ expectedStatus }) => expectedStatus < 400);
  // A client has no factors of its own.
  const ofUsers = ['user-identities.factors.list'];
  expect(reads.filter((id) => !succeeded.some(({ operation }) => operation === id))).toEqual(ofUsers);
});

test('with writes finds no difference, changes only what it created, and deletes it', async () => {
  const before = await server.dump();
  await using target = await startDeviation(server, {});
  const { code, err, report } = await checkConformance(server, target.url, ['--allow-writes']);
  expect(report.differences).toEqual([]);
  expect({ code, err, leftOver: report.leftOver }).toEqual({ code: 0, err: '', leftOver: [] });
  expect(report.summary.different).toBe(0);
  const after = await server.dump();
  for (const table of [
    'groups',
    'users',
    'clients',
    'apiKeys',
    'corporateGroups',
    'memberships',
    'customers',
    'factors',
  ])
    expect([table, after[table]]).toEqual([table, before[table]]);
  expect(listUnaccounted(report), unaccountedHint).toEqual([]);
  const unchecked = report.notChecked.filter(({ case: name }) => name === 'normal result');
  const succeeded = new Set(report.checked.filter((one) => one.expectedStatus < 300).map(({ operation }) => operation));
  // A reason is given only for an operation whose normal result was not seen.
  expect(unchecked.filter(({ operation }) => succeeded.has(operation))).toEqual([]);
  const unknown = /f00dfeedf00dfeedf00dfeed|~not~an~id~/;
  const writes = target.received.filter(({ method }) => method !== 'GET');
  const own = new Set(writes.flatMap(({ body }) => body.match(/iam-conformance-[0-9a-f]{8}/) ?? []));
  expect(own.size).toBe(1);
  const groups = (await server.admin.groups.list()).items.map(({ groupId }) => groupId);
  const touched = writes.filter((message) => !unknown.test(message.path));
  expect(touched.filter(({ path }) => groups.some((id) => path.includes(id)))).toEqual([]);
});

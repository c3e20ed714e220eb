const { startServer } = require('iam-standin');

/** The program under test: whether this token may list groups. */
async function mayAudit(baseUrl, token) {
  const response = await fetch(`${baseUrl}/groups`, { headers: { Authorization: `Bearer ${token}` } });
  return response.ok;
}

let iam;

beforeAll(async () => {
  const users = ['ann', 'bob'].map((name) => ({ userId: name, userName: name, userEmail: `${name}@example.com` }));
  const groups = [{ groupName: 'auditors', roles: ['IAM_ADMIN_READ_ONLY'], users: ['ann'] }];
  iam = await startServer({ seed: { users, groups } });
});
beforeEach(() => iam.reset());
afterAll(() => iam.stop());

test('only auditors may list groups', async () => {
  const [ann, bob] = [await iam.signIn('ann'), await iam.signIn('bob')];
  expect(await mayAudit(iam.baseUrl, ann.accessToken)).toBe(true);
  expect(await mayAudit(iam.baseUrl, bob.accessToken)).toBe(false);
});

test('a token expires after an hour', async () => {
  const { accessToken } = await iam.signIn('ann');
  await iam.clock.toExpiry(accessToken);
  expect(await mayAudit(iam.baseUrl, accessToken)).toBe(false);
});

test('a changed email address is notified', async () => {
  const auditor = iam.as('ann');
  expect((await auditor.groups.list()).items.map(({ groupName }) => groupName)).toContain('auditors');
  await iam.client.userIdentities.update({ params: { id: 'ann' }, body: { userEmail: 'ann@example.org' } });
  const { purpose } = await iam.inbox.waitFor({ to: 'ann@example.com' });
  expect(purpose).toBe('contact-changed');
});

import { describe, expect } from 'vitest';
import type { ErrorDetails } from '../../../src/client/errors.ts';
import { errorResponse, type FakeServer, startFakeServer } from '../../client/fake-server.ts';
import { iam, test, tokenVariables } from '../run-cli.ts';

const ownedClients: Readonly<Record<string, object>> = {
  s1: { clientId: 'k1', serviceAccountId: 's1', userId: 'u1', authorities: ['AUTH-BASIC', 'EXPORT'] },
  s2: { clientId: 'k2', serviceAccountId: 's2', userId: 'locked' },
  s3: { clientId: 'k3', serviceAccountId: 's3', ownerClientId: 'k9' },
  s4: { clientId: 'k4', serviceAccountId: 's4', businessId: 'hidden' },
  s5: { clientId: 'k5', serviceAccountId: 's5', businessId: 'gone' },
};

/** Has the users u1 and locked, the service s1, and groups that grant DEPLOY: ops directly, leads through it. */
function roleServer({ hasControlPlane = true } = {}): Promise<FakeServer> {
  const roles = [{ role: 'DEPLOY', groupNames: ['ops', 'leads'] }];
  return startFakeServer(({ path }) => {
    if (path.includes('/groups?'))
      return { json: path.includes('role=APPROVE') || path.includes('role=DEPLOY') ? [{ groupName: 'heads' }] : [] };
    if (path.endsWith('/groups/ops')) return { json: { groupName: 'ops', roles: ['DEPLOY'], dependencies: [] } };
    if (path.endsWith('/groups/leads'))
      return { json: { groupName: 'leads', roles: ['LEAD'], dependencies: [{ groupName: 'ops' }] } };
    if (path.startsWith('/_iam/') && !hasControlPlane) return errorResponse(404, 'PATH_NOT_FOUND');
    if (path.startsWith('/_iam/clients?'))
      return { json: [ownedClients[new URLSearchParams(path.split('?')[1]).get('name') ?? '']] };
    if (path === '/_iam/businesses/hidden') return errorResponse(403, 'ROLE_MISSING', 'No rights.');
    if (path === '/_iam/businesses/gone') return errorResponse(404, 'BUSINESS_NOT_FOUND');
    if (path === '/_iam/clients/k9') return errorResponse(404, 'CLIENT_NOT_FOUND');
    if (path.startsWith('/_iam/users/')) return { json: { locked: path.endsWith('/locked') } };
    if (path.includes('/user-accounts/u1/roles')) return { json: path.includes('businessId=') ? [] : roles };
    if (path.includes('/user-accounts/locked/roles')) return { json: roles };
    if (path.includes('/user-accounts/')) return errorResponse(404, 'USER_NOT_FOUND');
    return /\/service-accounts\/s\d\/roles/.test(path) ? { json: roles } : errorResponse(404, 'SERVICE_NOT_FOUND');
  });
}

describe('can', () => {
  test.each([
    [0, ['u1', 'DEPLOY'], 'yes: u1 has DEPLOY through ops, leads > ops\n'],
    [0, ['u1', 'ROLE_DEPLOY'], 'yes: u1 has DEPLOY through ops, leads > ops\n'],
    [0, ['s1', 'DEPLOY'], 'yes: s1 has DEPLOY through ops, leads > ops\n'],
    [1, ['u1', 'APPROVE'], 'no: u1 does not have APPROVE\n'],
    [1, ['u1', 'APROVE'], 'no: u1 does not have APROVE, which no group grants\n'],
    [1, ['locked', 'DEPLOY'], 'no: locked is locked. Unlocked, locked has DEPLOY through ops, leads > ops\n'],
    [
      1,
      ['s2', 'DEPLOY'],
      'no: s2 cannot sign in, because its owner, the user locked, is locked. Otherwise s2 has DEPLOY through ops, leads > ops\n',
    ],
    [
      1,
      ['s3', 'DEPLOY'],
      'no: s3 cannot sign in, because its owner, the client k9, was removed. Otherwise s3 has DEPLOY through ops, leads > ops\n',
    ],
    [
      1,
      ['s5', 'DEPLOY'],
      'no: s5 cannot sign in, because its owner, the business gone, was removed. Otherwise s5 has DEPLOY through ops, leads > ops\n',
    ],
    [0, ['s1', 'EXPORT'], 'yes: s1 has EXPORT through the authorities of its client\n'],
    [1, ['s1', 'APPROVE'], 'no: s1 does not have APPROVE\n'],
    [1, ['locked', 'APPROVE'], 'no: locked does not have APPROVE\n'],
    [1, ['u1', 'DEPLOY', '--business', 'b1'], 'no: u1 does not have DEPLOY\n'],
    [3, ['unknown', 'DEPLOY'], ''],
    [3, ['s1', 'DEPLOY', '--business', 'b1'], ''],
    [2, ['u1', 'AUTH-MFA'], ''],
  ])('exits with %i for %j', async (code, words, out) => {
    await using server = await roleServer();
    expect(await iam(['can', ...words], server)).toMatchObject({ code, out });
  });

  test('reports an id that is neither a user nor a service', async () => {
    await using server = await roleServer();
    expect((await iam(['can', 'unknown', 'X'], server)).err).toContain('not found');
  });

  test('says no for a locked user, with the groups, and that a lock is unknown', async () => {
    await using server = await roleServer();
    const locked = await iam(['can', 'locked', 'DEPLOY', '-o', 'json'], server);
    expect([locked.code, JSON.parse(locked.out)]).toMatchObject([
      1,
      { allowed: false, locked: true, through: ['ops', 'leads'] },
    ]);
    await using plain = await roleServer({ hasControlPlane: false });
    const unknown = await iam(['can', 'u1', 'DEPLOY'], plain);
    expect(unknown).toMatchObject({ code: 0, out: 'yes: u1 has DEPLOY through ops, leads > ops\n' });
    expect(unknown.err).toContain('Whether the user is locked is unknown.');
    const hidden = await iam(['can', 's4', 'DEPLOY'], server);
    expect(hidden).toMatchObject({ code: 0, out: expect.stringMatching(/^yes: /) });
    expect(hidden.err).toContain('Whether the owner of the service is locked or was removed is unknown. No rights.');
    const { code, err } = await iam(['can', 's1', 'EXPORT'], plain);
    expect([code, err]).toEqual([1, expect.stringContaining('Whether EXPORT is one of the authorities of its client')]);
  });

  test('prints subject, kind and paths for programs', async () => {
    await using server = await roleServer();
    expect(JSON.parse((await iam(['can', 's1', 'DEPLOY', '-o', 'json'], server)).out)).toEqual({
      subject: 's1',
      kind: 'service',
      role: 'DEPLOY',
      allowed: true,
      through: ['ops', 'leads'],
      ways: [['ops'], ['leads', 'ops']],
    });
    const own = await iam(['can', 's1', 'EXPORT', '-o', 'json'], server);
    expect(JSON.parse(own.out)).toMatchObject({ allowed: true, authority: true, through: [], ways: [] });
    const no = await iam(['can', 'u1', 'APPROVE', '-o', 'json'], server);
    expect([no.code, JSON.parse(no.out), no.err]).toMatchObject([1, { allowed: false, through: [], ways: [] }, '']);
  });
});

describe('a missing role', () => {
  const missing = (details?: ErrorDetails) => errorResponse(403, 'ROLE_MISSING', 'Another message.', details);
  const add = ['clients', 'delete', 'c1', '--yes'];

  test('is reported with the groups that the server returns', async () => {
    const details = { missingRoles: ['ADMIN'], grantedByGroups: ['iam-administrators', 'owners'] };
    await using server = await startFakeServer(() => missing(details));
    const outcome = await iam(add, server);
    expect(outcome.code).toBe(5);
    expect(outcome.err).toContain('Another message.');
    expect(outcome.err).toContain(
      'hint     Add the caller to a group that grants ADMIN: iam-administrators, owners. Explain it with `iam why request-1`.',
    );
    expect(server.received).toHaveLength(1);
    const { error } = JSON.parse((await iam([...add, '-o', 'json'], server)).err) as { error: object };
    expect(error).toMatchObject({ code: 'ROLE_MISSING', details, items: [{ details }] });
  });

  test('is reported alone if the server returns no groups', async () => {
    await using server = await startFakeServer(() => missing({ missingRoles: ['ADMIN'] }));
    const outcome = await iam(add, server);
    expect(outcome).toMatchObject({ code: 5, out: '' });
    expect(outcome.err).toContain('Add the caller to a group that grants ADMIN. Explain it with `iam why request-1`.');
    expect(server.received).toHaveLength(1);
  });

  test('repeats the server of the command line in the command of the hint', async ({ home }) => {
    await using server = await startFakeServer(() => missing({ missingRoles: ['ADMIN'] }));
    const profile = ['profile', 'add', 'staging', '--base-url', server.url, '--no-input'];
    expect((await home.iam(profile)).code).toBe(0);
    const variables = { ...tokenVariables, ...home.variables };
    const named = await iam([...add, '--profile', 'staging'], { variables });
    expect(named.err).toContain('`iam why request-1 --profile staging`');
    const addressed = await iam([...add, '--base-url', server.url], { variables });
    expect(addressed.err).toContain(`\`iam why request-1 --base-url ${server.url}\``);
  });

  test('is not explained by the server if the control plane rejected the request', async () => {
    await using server = await startFakeServer(() => missing({ missingRoles: ['ADMIN'] }));
    const { code, err } = await iam(['why', 'request-2'], server);
    expect([code, err]).toEqual([5, expect.stringContaining('Add the caller to a group that grants ADMIN.')]);
    expect(err).not.toContain('Explain it');
  });

  test.each([
    [{ missingRoles: ['AUTH-MFA'] }, 'No group grants AUTH-MFA'],
    [{ missingScopes: ['READ'] }, 'No group grants scope READ'],
    [{ missingRoles: ['PERSON'] }, 'No group grants PERSON: users without a business have it.'],
  ])('that no group grants, as in %j, is explained by the sign-in', async (details, words) => {
    await using server = await startFakeServer(() => missing(details));
    expect(await iam(add, server)).toMatchObject({ code: 5, err: expect.stringContaining(words) });
  });

  test('with details of another shape is reported without details', async () => {
    const odd = { missingRoles: 'ADMIN', grantedByGroups: [1], field: {}, more: true };
    await using server = await startFakeServer(() => missing(odd as unknown as ErrorDetails));
    const { code, err } = await iam([...add, '-o', 'json'], server);
    expect(code).toBe(5);
    expect(JSON.parse(err).error).toMatchObject({
      code: 'ROLE_MISSING',
      items: [expect.not.objectContaining({ details: expect.anything() })],
    });
    expect(JSON.parse(err).error).not.toHaveProperty('details');
  });
});

/**
 * Every operation that changes a contact or a credential of an administrator rejects callers below AUTH-MFA and leaves the
 * store unchanged. The table lists exactly the operations that document MFA_MISSING, with those of `role-gains.ts`; the
 * account guard is tested with every field of a user.
 */
import { describe, expect, test } from 'vitest';
import type { CallInput } from '../../../src/client/types.ts';
import type { AuthenticationLevel } from '../../../src/server/directory/authentication-levels.ts';
import { type OperationId, operations } from '../../../src/server/operations/index.ts';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { UserRow } from '../../../src/server/store/schema/users.ts';
import type { User } from '../../../src/server/store/tables.ts';
import { guardAccounts } from '../../../src/server/users/account-guard.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { catchClientError } from '../../server/operations/access.ts';
import { lastCode } from '../../server/operations/otp-inbox.ts';
import { roleGains } from './role-gains.ts';
import { callerWith, issueToken } from './test-callers.ts';

const mobile = { regionCode: 55, areaCode: 11, phoneNumber: 987654321 };
const contacts = { email: 'mainframe@example.com', mobile: { ...mobile, phoneNumber: 12345 } };
const fresh = 'fresh@example.com';

/** An auditor, which counts as an administrator; a maintainer of the service; a business of administrators. */
const seed: SeedDocument = {
  businesses: [{ businessId: 'rulers', businessName: 'Rulers' }],
  users: [
    {
      userId: 'auditor',
      userEmail: 'auditor@example.com',
      userMobile: mobile,
      identities: ['alias'],
      locked: false,
      factors: [
        { id: 'known', contactType: 'EMAIL', email: 'known@example.com' },
        { id: 'fresh', contactType: 'EMAIL', email: fresh, verified: false },
      ],
    },
    { userId: 'maintainer', userEmail: 'maintainer@example.com' },
  ],
  groups: [
    { groupName: 'iam-auditors', users: ['auditor'], businesses: ['rulers'] },
    { groupName: 'maintainers', roles: ['IAM_ADMIN_MAINTENANCE'], users: ['maintainer'] },
  ],
  mainframe: [{ logon: 'FREE01', ...contacts }],
};

type AdministratorCaller = 'maintainer' | 'auditor';
type CallCase = readonly [
  caller: AdministratorCaller,
  input: CallInput | ((server: TestServer, token: string) => Promise<CallInput>),
];

const params = { id: 'auditor' };
const factor = { id: 'auditor', factorId: 'known' };
const authenticationFactors = [{ contactType: 'EMAIL', email: 'added@example.com' }];

const calls: Partial<Record<OperationId, readonly CallCase[]>> = {
  'user-identities.update': [
    ['maintainer', { params, body: { userName: 'other' } }],
    ['maintainer', { params, body: { userEmail: 'other@example.com' } }],
    ['maintainer', { params, body: { userEmail: null } }],
    ['maintainer', { params, body: { userMobile: null } }],
  ],
  'user-identities.add-identity': [['maintainer', { params, body: { identity: 'google:1' } }]],
  'user-identities.remove-identity': [['maintainer', { params: { ...params, identity: 'alias' } }]],
  'user-identities.provision-logon': [['maintainer', { params, body: { logon: 'NEW01' } }]],
  'user-identities.lock': [['maintainer', { body: { userId: 'auditor' } }]],
  'user-identities.unlock': [['maintainer', { body: { userId: 'auditor' } }]],
  'user-identities.remove': [['maintainer', { params }]],
  'user-identities.factors.admin-add': [['maintainer', { params, body: { authenticationFactors } }]],
  'user-identities.factors.admin-update': [['maintainer', { params: factor, body: { tags: ['x'] } }]],
  'user-identities.factors.admin-remove': [['maintainer', { params: factor }]],
  'user-identities.factors.validate-token': [['auditor', createValidation]],
  'user-identities.associate-legacy-by-email': [['auditor', { body: { logon: 'FREE01' } }]],
  'user-identities.associate-legacy-by-mobile': [['auditor', { body: { logon: 'FREE01' } }]],
  'user-identities.complete-associate-legacy': [['auditor', createCompletion]],
};

/** Requests the code that verifies a new contact, in the session that submits it. */
async function createValidation(server: TestServer, token: string): Promise<CallInput> {
  const caller = server.as({ token });
  await caller.userIdentities.factors.sendToken({ params: { id: 'fresh' } });
  return { params: { id: 'fresh' }, body: { token: await lastCode(server, fresh) } };
}

/** Requests a logon with a second factor; the caller under test completes it without one. */
async function createCompletion(server: TestServer): Promise<CallInput> {
  const caller = server.as({ token: await issueToken(server, 'auditor', 'AUTH-MFA') });
  const { challengeId } = await caller.userIdentities.associateLegacyByEmail({ body: { logon: 'FREE01' } });
  return { body: { challengeId, token: await lastCode(server, contacts.email) } };
}

test('the tables list exactly the operations that document MFA_MISSING', () => {
  const listed = Object.values(operations).filter(({ errors }) =>
    (errors as readonly string[]).includes('MFA_MISSING'),
  );
  const known = new Set([...Object.keys(calls), ...Object.keys(roleGains)]);
  expect([...known].sort()).toEqual(listed.map(({ id }) => id).sort());
});

const cases = Object.entries(calls).flatMap(([id, list]) =>
  list.map(([caller, input], at) => [`${id} ${at + 1}`, { id: id as OperationId, caller, input }] as const),
);

test.each(cases)('%s rejects a caller below AUTH-MFA and accepts one with it', async (_, { id, caller, input }) => {
  await using server = await startServer({ seed, flags: { 'fast-passwords': true } });
  const prepare = async (level: AuthenticationLevel) => {
    const token = await issueToken(server, caller, level);
    return { as: server.as({ token }), prepared: typeof input === 'function' ? await input(server, token) : input };
  };
  const weak = await prepare('AUTH-BASIC');
  const before = await server.dump();
  const failure = await catchClientError(weak.as.call(id, weak.prepared));
  const status = operations[id].statuses.includes(403 as never) ? 403 : 401;
  expect(failure).toMatchObject({ status, code: 'MFA_MISSING' });
  expect(await server.dump()).toEqual(before);
  const strong = await prepare('AUTH-MFA');
  await expect(strong.as.call(id, strong.prepared)).resolves.toMatchObject({ requestId: expect.any(String) });
});

test.each(['lock', 'unlock'] as const)(
  'a client with only the scope to %s cannot change administrators',
  async (verb) => {
    await using server = await startServer({ seed });
    const caller = await server.withAuthorities([], { scope: ['account_lock', 'account_unlock'] });
    const before = await server.dump();
    const failure = await catchClientError(caller.userIdentities[verb]({ body: { userId: 'auditor' } }));
    expect(failure).toMatchObject({ status: 403, code: 'MFA_MISSING' });
    expect(await server.dump()).toEqual(before);
    await caller.userIdentities[verb]({ body: { userId: (await createPlainUser(server)).userId } });
  },
);

async function createPlainUser(server: TestServer): Promise<User> {
  await server.admin.userIdentities.create({ body: { userName: 'plain', userEmail: 'plain@example.com' } });
  const user = await server.appContext.store.users.getBy('login', 'plain');
  if (!user) throw new Error('the user was not created');
  return user;
}

describe('the account guard', () => {
  /** The fields by which a user is contacted, logs in or is locked; all others may change without MFA. */
  const guarded: Readonly<Record<string, unknown>> = {
    userName: 'other',
    userNameProven: true,
    userEmail: 'other@example.com',
    emailVerified: false,
    userMobile: { regionCode: 1, areaCode: 1, phoneNumber: 5555 },
    mobileVerified: false,
    locked: true,
    identities: ['x'],
    legacyLogons: ['X'],
  };
  const unguarded: Readonly<Record<string, unknown>> = {
    passwordHash: 'x',
    replacedHash: 'x',
    businessId: 'rulers',
    lead: true,
    lockReason: 'x',
    bootstrap: 'admin',
    selfRegistered: true,
    createdAt: 'x',
    knownSources: [],
    mfaSources: [],
    consents: [],
  };

  async function write(change: object, roles: readonly string[] = []) {
    await using server = await startServer({ seed });
    const { store } = server.appContext;
    const caller = callerWith(roles);
    await guardAccounts(store, caller, server.appContext).transaction(async (tx) => {
      const user = await tx.users.get('auditor');
      if (user) await tx.users.replace({ ...user, ...change });
    });
  }

  test('is tested with every field of a user', () => {
    const { shape } = UserRow.unwrap();
    const known = ['userId', ...Object.keys(guarded), ...Object.keys(unguarded)];
    expect(Object.keys(shape).sort()).toEqual(known.sort());
  });

  test.each(Object.entries(guarded))('rejects a change of %s below AUTH-MFA', async (field, value) => {
    await expect(write({ [field]: value })).rejects.toMatchObject({ code: 'MFA_MISSING' });
    await write({ [field]: value }, ['AUTH-MFA']);
  });

  test('accepts changes of all other fields, such as a rehashed password at login', async () => {
    const { createdAt: _, bootstrap: __, ...changes } = unguarded;
    await expect(write(changes)).resolves.toBeUndefined();
  });
});

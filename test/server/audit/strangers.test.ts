/** Events that a stranger can cause go to a file of their own, so that they never evict the records of administrators. */
import { describe, expect, test } from 'vitest';
import { controlPrefix, servicePrefix } from '../../../src/contract/prefix.ts';
import { isAllowed } from '../../../src/contract/roles.ts';
import { recordAuditEvent } from '../../../src/server/audit/record.ts';
import { createAuditTrail } from '../../../src/server/audit/trail.ts';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import type { Principal } from '../../../src/server/directory/principal.ts';
import type { RequestState } from '../../../src/server/http/request-state.ts';
import { oauthOperations } from '../../../src/server/oauth/index.ts';
import { operations } from '../../../src/server/operations/index.ts';
import type { IssuedToken } from '../../../src/server/tokens/token-subject.ts';
import { createFakeClock, startServer } from '../../harness.ts';
import { asUser } from '../operations/user-token.ts';
import { createMemorySink } from './memory-sink.ts';

const client = (party: '1STPARTY' | '3RDPARTY') =>
  ({ clientId: 'any', party, scope: [] }) as unknown as Principal['client'];
const identified = ['CLI-AUTH-IDENTIFIED'];
const authenticated = [...identified, 'CLI-AUTH-BASIC'];
const signedUp = [...identified, 'CLI-1STPARTY', 'AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA', 'USER', 'PERSON'];

function principal(part: Partial<Principal>, roles: readonly string[]): Principal {
  return {
    authMethod: 'bearer',
    client: client('1STPARTY'),
    subject: 'any',
    scope: new Set(),
    ...part,
    roles: new Set(roles),
  };
}

const user = { userId: 'any' } as NonNullable<Principal['user']>;
const session = { sessionId: 'any' } as NonNullable<Principal['session']>;
const own = client('3RDPARTY');

/** Everybody that a person without a role can be, and the token that a request of it can issue. */
const strangers: readonly (readonly [string, Principal | undefined, IssuedToken | undefined])[] = [
  ['no caller', undefined, undefined],
  ['a named client', principal({ authMethod: 'client-id' }, [...identified, 'CLI-1STPARTY']), undefined],
  [
    'a user who signs in at a named client',
    principal({ authMethod: 'client-id' }, [...identified, 'CLI-1STPARTY']),
    { subject: { kind: 'user', clientId: 'any', userId: 'any' }, roles: signedUp },
  ],
  ['a user who signed up', principal({ user, session }, signedUp), undefined],
  [
    'a user who renews a session',
    principal({ user, session }, signedUp),
    { subject: { kind: 'user', clientId: 'any', userId: 'any' }, roles: signedUp },
  ],
  [
    'an own client',
    principal({ client: own, authMethod: 'basic' }, [...authenticated, 'CLI-3RDPARTY', 'AUTH-BASIC']),
    undefined,
  ],
  [
    'an own client that logs in',
    principal({ client: own, authMethod: 'basic' }, [...authenticated, 'CLI-3RDPARTY', 'AUTH-BASIC', 'REPORTS']),
    {
      subject: { kind: 'client', clientId: 'any' },
      roles: [...authenticated, 'CLI-3RDPARTY', 'AUTH-BASIC', 'REPORTS'],
    },
  ],
  [
    'a client without authorities that logs in',
    undefined,
    { subject: { kind: 'client', clientId: 'any' }, roles: [...authenticated, 'CLI-1STPARTY'] },
  ],
  [
    'a logon of a mainframe without a user',
    undefined,
    { subject: { kind: 'logon', clientId: 'any', logon: 'X' }, roles: [...signedUp] },
  ],
];

const registry = [...Object.values(operations), ...oauthOperations, ...controlRoutes];

/** Whether the event of a granted request would go to the file of strangers. */
function goesToStrangersFile(operation: (typeof registry)[number], caller?: Principal, issued?: IssuedToken): boolean {
  let isAnyone: boolean | undefined;
  const prefix = operation.id.startsWith('control.') ? controlPrefix : servicePrefix;
  const state = {
    request: { headers: {} },
    path: prefix + operation.path,
    source: { network: 'any', address: 'any' },
    operation,
    caller,
    issued,
  } as unknown as RequestState;
  const audit = {
    record: (_: unknown, origin: { readonly isAnyone: boolean }) => {
      isAnyone = origin.isAnyone;
      return undefined;
    },
  };
  const settings = { allowRemote: true };
  const service = {
    clock: createFakeClock(),
    settings,
    sandbox: undefined,
    isTenant: false,
    auditTrail: createAuditTrail({}),
  };
  void recordAuditEvent(state, 200, { audit: audit as never, ...service });
  return isAnyone ?? operation.audit.kind === 'read';
}

test.each(strangers)(
  '%s causes no event in the file of administrators, with any operation',
  (_name, caller, issued) => {
    const missed = registry.filter((operation) => !goesToStrangersFile(operation, caller, issued));
    expect(missed.map(({ id }) => id)).toEqual([]);
  },
);

test('a user with a role that is not administrative causes events there only by what needs the role', () => {
  const missed = (role: string, issued?: IssuedToken) =>
    registry
      .filter((operation) => !goesToStrangersFile(operation, principal({ user, session }, [...signedUp, role]), issued))
      .filter(({ audit, roles }) => audit.kind === 'authentication' || isAllowed(roles, principal({}, signedUp)))
      .map(({ id }) => id);
  expect(missed('REPORTS')).toEqual([]);
  expect(missed('BUSINESSADMIN')).toEqual([]);
  expect(missed('ADMIN')).toContain('user-identities.associate-device');
  const login = { subject: { kind: 'user', clientId: 'any', userId: 'any' }, roles: [...signedUp, 'REPORTS'] } as const;
  const signIn = operations['user-identities.login'] as (typeof registry)[number];
  expect(goesToStrangersFile(signIn, principal({ authMethod: 'client-id' }, identified), login)).toBe(true);
  const addUser = operations['user-accesses.add-business-user'] as (typeof registry)[number];
  expect(goesToStrangersFile(addUser, principal({ user, session }, [...signedUp, 'BUSINESSADMIN']))).toBe(false);
});

describe('the file of administrators has', () => {
  test('the logins of administrators and of clients with authorities, and what first-party clients change', async () => {
    const [granted, selfService] = [createMemorySink(), createMemorySink()];
    await using server = await startServer({ audit: granted, selfServiceAudit: selfService });
    const plain = await server.makeClient({ party: '1STPARTY', authorities: ['AUTH-BASIC'] });
    await server.as(plain).clientIdentities.login();
    await server.admin.groups.create({ body: { groupName: 'ops' } });
    const associate = async (role: string) =>
      (await asUser(server, { roles: [role] })).userIdentities.associateDevice({ body: { deviceId: 'p' } });
    await associate('ADMIN');
    expect(selfService.events()).toEqual([]);
    await associate('REPORTS');
    const third = await server.makeClient({ party: '3RDPARTY', authorities: [] });
    await server.as(third).clientIdentities.login();
    expect(selfService.events()).toMatchObject([
      { operation: 'user-identities.associate-device' },
      { operation: 'client-identities.login' },
    ]);
    expect(new Set(granted.events().map(({ operation }) => operation))).toEqual(
      new Set(['client-identities.login', 'groups.create', 'user-identities.associate-device']),
    );
  });
});

import { expect, test } from 'vitest';
import { emptyRemoteState, type RemoteState } from '../../../src/cli/plan/model/remote-state.ts';
import { resolveOwnership } from '../../../src/cli/plan/prune.ts';

const sentGroup = { groupName: 'ops', roles: [], dependencies: [] };
const createdGroup = { ...sentGroup, groupId: 'g' };
const sentClient = { serviceAccountId: 'ops', appId: 'ops' };
const createdClient = {
  ...sentClient,
  clientId: 'c1',
  party: '1STPARTY',
  authorities: [],
  scope: [],
  grantTypes: ['client_credentials'],
  redirectURIs: [],
  audiences: [],
  postLogoutRedirectURIs: [],
  factorVisibility: 'CREDENTIALS_ONLY',
  createdAt: '2026-03-01T12:00:00.000Z',
};

test.each([
  ['group', 'groups', createdGroup, { organizationId: 'acme' }],
  ['group', 'groups', createdGroup, { businessUnitId: 'retail' }],
  ['client', 'clients', createdClient, { scope: ['READ'] }],
  ['client', 'clients', createdClient, { party: '3RDPARTY' }],
  ['client', 'clients', createdClient, { ownerClientId: 'portal' }],
  ['client', 'clients', createdClient, { authorities: ['ADMIN'] }],
  ['client', 'clients', createdClient, { grantTypes: ['client_credentials', 'password'] }],
  ['client', 'clients', createdClient, { redirectURIs: ['https://app.example.com'] }],
  ['client', 'clients', createdClient, { audiences: ['https://api.example.com'] }],
] as const)(
  'a %s of the %s is not that of the set if it also has a field that was not sent',
  (kind, list, own, more) => {
    const sent = kind === 'group' ? sentGroup : sentClient;
    const pending = [{ kind, key: 'ops', name: 'ops', sent }];
    const resolve = (found: object) =>
      resolveOwnership({ managed: [], pending }, {
        ...emptyRemoteState,
        [list]: kind === 'group' ? new Map([['ops', found]]) : [found],
      } as RemoteState);
    expect([resolve(own).managed.length, resolve(own).unclear]).toEqual([1, []]);
    const theirs = resolve({ ...own, ...more });
    expect([theirs.managed, theirs.unclear.length]).toEqual([[], 1]);
  },
);

test('of several API keys for one use, only those that the user claims belong to the set', () => {
  const use = { appId: 'reports', clientId: 'c1' };
  const creation = { kind: 'apiKey', key: 'c1 reports', name: 'c1 reports', sent: use } as const;
  const state = { ...emptyRemoteState, apiKeys: ['k1', 'k2'].map((apiKeyId) => ({ apiKeyId, ...use })) };
  const inventory = { managed: [], pending: [creation] };
  const { managed, unclear } = resolveOwnership(inventory, state);
  expect([managed, unclear.map((found) => found.map(({ id }) => id))]).toEqual([[], [['k1', 'k2']]]);
  const claimed = resolveOwnership(inventory, state, new Set(['apiKey k2']));
  expect([claimed.managed.map(({ id }) => id), claimed.unclear]).toEqual([['k2'], []]);
});

test('the order of a list, also one of objects, makes no other resource', () => {
  const [first, second] = [
    { id: 'b1', at: 1 },
    { at: 2, id: 'b2' },
  ];
  const creation = { kind: 'corporateGroup', key: 'holding', name: 'holding' } as const;
  const found = { corporateGroupId: 'g1', corporateGroupName: 'holding', businesses: [{ id: 'b2', at: 2 }, first] };
  const state = { ...emptyRemoteState, corporateGroups: [found] } as unknown as RemoteState;
  const own = (businesses: unknown) =>
    resolveOwnership({ managed: [], pending: [{ ...creation, sent: { businesses } }] }, state).managed.length;
  expect([own([first, second]), own([first]), own([first, first])]).toEqual([1, 0, 0]);
});

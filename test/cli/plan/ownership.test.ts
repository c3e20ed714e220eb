import { expect, test } from 'vitest';
import { emptyRemoteState, type RemoteState } from '../../../src/cli/plan/model/remote-state.ts';
import { resolveOwnership } from '../../../src/cli/plan/prune.ts';

test('of several API keys for one use, only those that the user claims belong to the set', () => {
  const use = { appId: 'reports', clientId: 'c1' };
  const creation = { kind: 'apiKey', key: 'c1 reports', name: 'c1 reports', sent: use } as const;
  const state = { ...emptyRemoteState, apiKeys: ['k1', 'k2'].map((apiKeyId) => ({ apiKeyId, ...use })) };
  const inventory = { managed: [], pending: [creation] };
  const { managed, unclear } = resolveOwnership(inventory, state);
  expect([managed, unclear.map(({ found }) => found.map(({ id }) => id))]).toEqual([[], [['k1', 'k2']]]);
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

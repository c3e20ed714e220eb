import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Step } from '../../../src/cli/plan/model/changes.ts';
import { computeGroupRoles, isReachable, sortTopologically } from '../../../src/cli/plan/model/group-graph.ts';
import { emptyRemoteState } from '../../../src/cli/plan/model/remote-state.ts';
import { buildPlan } from '../../../src/cli/plan/plan.ts';
import type { Stage } from '../../../src/cli/plan/resource.ts';
import { mergeChanges } from '../../../src/cli/plan/resources/entity-writes.ts';
import { buildStages } from '../../../src/cli/plan/steps.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Acyclic graphs: each group depends only on earlier groups of some order. */
const graphs = fc
  .tuple(fc.shuffledSubarray(names, { minLength: 6 }), fc.array(fc.boolean(), { minLength: 36, maxLength: 36 }))
  .map(([order, edges]) =>
    Object.fromEntries(order.map((name, at) => [name, order.slice(0, at).filter((_, below) => edges[at * 6 + below])])),
  );

type Graph = Readonly<Record<string, readonly string[]>>;

function asMap(graph: Graph) {
  return new Map(
    Object.entries(graph).map(([name, dependencies]) => [name, { dependencies, roles: [name.toUpperCase()] }]),
  );
}

describe('the topological sort', () => {
  test('orders dependencies first and reports no cycle in an acyclic graph', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { order, cycles: circles } = sortTopologically(asMap(graph));
        expect(circles).toEqual([]);
        for (const [name, below] of Object.entries(graph))
          for (const one of below) expect(order.indexOf(one)).toBeLessThan(order.indexOf(name));
      }),
    );
  });

  test('reports a cycle and handles long chains', () => {
    expect(sortTopologically(asMap({ x: ['a'], a: ['b'], b: ['c'], c: ['a'] })).cycles).toEqual([['a', 'b', 'c', 'a']]);
    const chain = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`g${at}`, at > 0 ? [`g${at - 1}`] : []]),
    );
    expect(
      sortTopologically(
        new Map(
          Object.entries(chain)
            .reverse()
            .map(([name, dependencies]) => [name, { dependencies }]),
        ),
      ).order[0],
    ).toBe('g0');
  });

  test('a group has the roles of all groups that it reaches, and no others', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const roles = computeGroupRoles(asMap(graph));
        for (const name of names)
          expect([...(roles.get(name) ?? [])].sort()).toEqual(
            names.filter((other) => isReachable(asMap(graph), name, other)).map((other) => other.toUpperCase()),
          );
      }),
    );
  });
});

test('no step between two acyclic graphs creates a cycle, in whatever order the steps of a stage are done', () => {
  fc.assert(
    fc.property(
      graphs,
      graphs,
      fc.integer({ min: 0, max: 6 }),
      fc.shuffledSubarray(names, { minLength: 6 }),
      (before, after, known, ranks) => {
        const there = Object.entries(before).filter(([name]) => names.indexOf(name) < known);
        const state = {
          ...emptyRemoteState,
          groups: new Map(
            there.map(([groupName, dependencies]) => [
              groupName,
              {
                groupId: groupName,
                groupName,
                roles: [],
                dependencies: dependencies.filter((one) => names.indexOf(one) < known),
              },
            ]),
          ),
        };
        const groups = Object.entries(after).map(([groupName, dependencies]) => ({
          path: '',
          groupName,
          dependencies,
          members: {},
        }));
        const desired = { groups, clients: [], apiKeys: [], corporateGroups: [], customers: [] };
        const { changes } = buildPlan({ desired, state, caller: {}, recorded: [], prune: false });
        const current = new Map(
          [...state.groups].map(([name, { dependencies }]) => [name, { dependencies: [...dependencies] }]),
        );
        const rank = (step: Step) => ('change' in step ? ranks.indexOf(step.change.name) : 0);
        const shuffle = (stage: Stage) => [...stage].sort((one, other) => rank(one) - rank(other));
        for (const step of buildStages(changes, state, {}).flatMap(shuffle)) {
          if (step.kind !== 'group') continue;
          const { added = [], removed = [] } = step.change.fields.find(({ field }) => field === 'dependencies') ?? {};
          const own = current.get(step.change.name)?.dependencies ?? [];
          const now = [...own.filter((one) => !removed.includes(one)), ...(step.release ? [] : added)];
          for (const one of now) expect(current.has(one)).toBe(true);
          current.set(step.change.name, { dependencies: [...new Set(now)] });
          expect(sortTopologically(current).cycles).toEqual([]);
        }
        for (const [name, expected] of Object.entries(after))
          expect([...(current.get(name)?.dependencies ?? [])].sort()).toEqual([...expected].sort());
      },
    ),
  );
});

describe('merging', () => {
  const changes = [
    { field: 'organizationId', before: 'a', after: 'b' },
    { field: 'roles', added: ['X'], removed: ['Y'] },
  ];

  test('preserves concurrent additions and is idempotent', () => {
    const { merged, isChanged: differs } = mergeChanges({ organizationId: 'a', roles: ['Y', 'Z'], other: 1 }, changes);
    expect([merged, differs]).toEqual([{ organizationId: 'b', roles: ['Z', 'X'], other: 1 }, true]);
    expect(mergeChanges(merged, changes)).toMatchObject({ isChanged: false, conflicts: [] });
  });

  test('does not overwrite a conflicting value', () => {
    expect(mergeChanges({ organizationId: 'c', roles: [] }, changes).conflicts).toEqual(['organizationId']);
  });
});

import { expect, test } from 'vitest';
import type { RoleEffect } from '../../../src/cli/plan/role-effects.ts';
import { isFullRun } from '../../effort.ts';
import { type PlanFixture, startPlanFixture } from './plan-fixture.ts';

const subjects = [
  ...['u1', 'u2', 'u3'].map((id) => ({ kind: 'user', id, businessId: { u1: 'b1', u3: 'b2' }[id] })),
  ...['b1', 'b2'].map((id) => ({ kind: 'business', id, businessId: undefined })),
  { kind: 'service', id: 's1', businessId: undefined },
] as const;

/** The roles of all subjects as reported by the server. */
async function readHeldRoles({ server: { admin } }: PlanFixture): Promise<Map<string, string[]>> {
  const ask = async (kind: string, id: string) => {
    if (kind === 'user') return admin.userAccesses.listUserRoles({ params: { userId: id } });
    if (kind === 'business') return admin.businessAccesses.listBusinessRoles({ params: { businessId: id } });
    return admin.serviceAccesses.listServiceRoles({ params: { serviceId: id } });
  };
  const held = subjects.map(async ({ kind, id }) => {
    const roles = await ask(kind, id);
    return [`${kind} ${id}`, roles.map(({ role }) => role).sort()] as const;
  });
  return new Map(await Promise.all(held));
}

const documents = isFullRun ? 25 : 8;

/** Deterministic pseudo-random numbers. */
function createNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

function buildDocument(next: (below: number) => number): string {
  const names = ['a', 'b', 'c', 'd'];
  const some = (values: readonly string[]) => values.filter(() => next(3) === 0).join(', ');
  const groups = names.map((groupName, at) => {
    const below = names.slice(0, at).filter(() => next(2) === 0);
    const pairs = ['{businessId: b1, userId: u1}', '{businessId: b2, userId: u3}'];
    const parts = [
      `roles: [${some(['P', 'Q', 'R'])}]`,
      `dependencies: [${below.map((name) => `{groupName: ${name}}`).join(', ')}]`,
      `users: [${some(['u1', 'u2', 'u3'])}]`,
      `businesses: [${some(['b1', 'b2'])}]`,
      `businessUsers: [${some(pairs)}]`,
      `services: [${some(['s1'])}]`,
    ].filter(() => next(4) > 0);
    return `  - {${[`groupName: ${groupName}`, ...parts].join(', ')}}\n`;
  });
  return `groups:\n${groups.join('')}`;
}

test('role effects of a plan match the changes on the server', async () => {
  await using fixture = await startPlanFixture({ clients: [{ clientId: 's', serviceAccountId: 's1' }] });
  const next = createNumbers(4_711);
  let effects = 0;
  for (let round = 0; round < documents; round += 1) {
    const file = await fixture.write('iam.yaml', buildDocument(next));
    const { out, err } = await fixture.iam(['plan', '-f', file, '-o', 'json']);
    expect(err).toBe('');
    const { roles } = JSON.parse(out) as { roles: RoleEffect[] };
    effects += roles.length;
    const before = await readHeldRoles(fixture);
    expect((await fixture.iam(['apply', '-f', file, '--yes', '-q'])).code).toBe(0);
    expect((await fixture.iam(['diff', '-f', file])).code).toBe(0);
    const after = await readHeldRoles(fixture);
    const planned = new Map(roles.map((effect) => [`${effect.kind} ${effect.id}`, effect]));
    for (const { kind, id, businessId } of subjects) {
      const [old, now] = [before.get(`${kind} ${id}`) ?? [], after.get(`${kind} ${id}`) ?? []];
      const gains = now.filter((role) => !old.includes(role));
      const loses = old.filter((role) => !now.includes(role));
      const own = planned.get(`${kind} ${id}`);
      const viaBusiness = own ? undefined : planned.get(`business ${businessId}`);
      if (viaBusiness) {
        // Users outside the changed groups are represented by their business.
        expect([round, id, gains.filter((role) => !viaBusiness.gains.includes(role))]).toEqual([round, id, []]);
        expect([round, id, loses.filter((role) => !viaBusiness.loses.includes(role))]).toEqual([round, id, []]);
      } else expect([round, id, gains, loses]).toEqual([round, id, own?.gains ?? [], own?.loses ?? []]);
    }
  }
  expect(effects).toBeGreaterThan(documents);
}, 120_000);

import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { isFullRun } from '../../effort.ts';
import { createScriptedPrompter } from '../prompts/scripted-prompter.ts';
import type { CliResult } from '../run-cli.ts';
import { dumpDirectory, type PlanFixture, startPlanFixture, test } from './plan-fixture.ts';
import { everything } from './sample-documents.ts';
import { startBreakingProxy, startInterposingProxy } from './write-proxy.ts';

const applyWords = (file: string, ...more: string[]) => ['apply', '-f', file, '--yes', ...more];

async function applyEverything(fixture: PlanFixture): Promise<string> {
  const file = await fixture.write('iam.yaml', everything);
  expect((await fixture.iam(applyWords(file))).code).toBe(0);
  return fixture.write('less.yaml', 'set: base\ngroups:\n  - groupName: ops\n');
}

describe('--prune', () => {
  test('deletes only resources created by an earlier apply of the set, dependents first', async ({ fixture }) => {
    const before = await dumpDirectory(fixture.server);
    await fixture.server.admin.groups.create({ body: { groupName: 'theirs', roles: ['DEPLOY'] } });
    const theirs = await dumpDirectory(fixture.server);
    await applyEverything(fixture);
    const empty = await fixture.write('empty.yaml', 'set: base\n');
    const outcome = await fixture.iam(applyWords(empty, '--prune', '--confirm', 'base'));
    expect([outcome.code, outcome.err]).toEqual([0, expect.stringContaining('5 deleted')]);
    const after = await dumpDirectory(fixture.server);
    expect(after.groups).toEqual(theirs.groups);
    for (const kind of ['memberships', 'clients', 'apiKeys', 'corporateGroups'])
      expect(after[kind]).toEqual(before[kind]);
    expect((await fixture.iam(['plan', '-f', empty, '--prune'])).out).toContain('No changes');
  });

  test('is off by default: orphans are reported and not deleted', async ({ fixture }) => {
    const less = await applyEverything(fixture);
    const before = await dumpDirectory(fixture.server);
    const outcome = await fixture.iam(applyWords(less));
    expect(outcome.code).toBe(0);
    for (const orphan of ['corporate group holding', 'API key billing reports']) expect(outcome.out).toContain(orphan);
    expect(outcome.out).toContain('Delete them with --prune');
    expect(await dumpDirectory(fixture.server)).toEqual(before);
  });

  test('needs the set name as confirmation; --yes or another name is not enough', async ({ fixture }) => {
    const less = await applyEverything(fixture);
    const before = await dumpDirectory(fixture.server);
    expect((await fixture.iam(applyWords(less, '--prune'))).code).toBe(10);
    expect((await fixture.iam(applyWords(less, '--prune', '--confirm', 'other'))).code).toBe(2);
    expect(await dumpDirectory(fixture.server)).toEqual(before);
    expect((await fixture.iam(applyWords(less, '--prune', '--confirm', 'base'))).code).toBe(0);
  });

  test('accepts the name if nothing is removed', async ({ fixture }) => {
    const fewer = await fixture.write('only.yaml', 'groups:\n  - groupName: apart\n');
    expect((await fixture.iam(['apply', '-f', fewer, '--set', 'apart', '--prune', '--confirm', 'other'])).code).toBe(2);
    expect((await fixture.iam(['apply', '-f', fewer, '--set', 'apart', '--prune', '--confirm', 'apart'])).code).toBe(0);
  });

  test('does not delete resources of another set or server, or resources recreated under the same name', async ({
    fixture,
  }) => {
    await applyEverything(fixture);
    const { admin } = fixture.server;
    await admin.groups.remove({ params: { groupId: 'leads' } });
    await admin.groups.create({ body: { groupName: 'leads', roles: ['THEIRS'] } });
    const other = await fixture.write('other.yaml', 'set: other\n');
    expect((await fixture.iam(applyWords(other, '--prune'))).out).toContain('No changes');
    const empty = await fixture.write('empty.yaml', 'set: base\n');
    const elsewhere = fixture.server.url.replace('127.0.0.1', 'localhost');
    expect((await fixture.iam(applyWords(empty, '--prune'), { url: elsewhere })).out).toContain('No changes');
    expect((await fixture.iam(applyWords(empty, '--prune', '--confirm', 'base'))).code).toBe(0);
    expect(await admin.groups.get({ params: { groupId: 'leads' } })).toMatchObject({ roles: ['THEIRS'] });
  });

  test('is rejected if other groups depend on a deleted group, and nothing is written', async ({ fixture }) => {
    await applyEverything(fixture);
    const { admin } = fixture.server;
    await admin.groups.create({ body: { groupName: 'theirs', dependencies: [{ groupName: 'ops' }] } });
    const before = await dumpDirectory(fixture.server);
    const empty = await fixture.write('empty.yaml', 'set: base\n');
    const outcome = await fixture.iam(applyWords(empty, '--prune', '--confirm', 'base'));
    expect([outcome.code, outcome.err]).toEqual([2, expect.stringContaining('theirs depends on it')]);
    expect(await dumpDirectory(fixture.server)).toEqual(before);
  });

  test('is rejected for a client that the documents still reference, and nothing is written', async ({ fixture }) => {
    await applyEverything(fixture);
    const before = await dumpDirectory(fixture.server);
    const file = await fixture.write('iam.yaml', everything.replace(/clients:\n.*\n/, ''));
    const outcome = await fixture.iam(applyWords(file, '--prune', '--confirm', 'base'));
    expect(outcome.code).toBe(2);
    expect(outcome.err.match(/would be pruned/g)).toHaveLength(2);
    expect(await dumpDirectory(fixture.server)).toEqual(before);
  });

  test('reports the roles that a service of a deleted client loses', async ({ fixture }) => {
    await applyEverything(fixture);
    const { admin } = fixture.server;
    await admin.groups.create({ body: { groupName: 'theirs', roles: ['THEIRS'] } });
    await admin.serviceAccesses.addService({ params: { groupId: 'theirs' }, body: [{ serviceId: 'billing' }] });
    const empty = await fixture.write('empty.yaml', 'set: base\n');
    const { out } = await fixture.iam(['plan', '-f', empty, '--prune', '-o', 'json']);
    expect((JSON.parse(out) as { roles: unknown[] }).roles).toContainEqual({
      kind: 'service',
      id: 'billing',
      gains: [],
      loses: ['DEPLOY', 'THEIRS'],
    });
  });

  test('requires a set', async ({ fixture }) => {
    const file = await fixture.write('iam.yaml', 'groups: []\n');
    expect(await fixture.iam(applyWords(file, '--prune'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('requires a set'),
    });
  });
});

describe('--prune of memberships', () => {
  const listing = 'set: base\ngroups:\n  - groupName: ops\n    users: [u1, u2]\n    services: []\n';
  const unlisted = 'set: base\ngroups:\n  - groupName: ops\n';
  const pruneWords = (file: string) => applyWords(file, '--prune', '--confirm', 'base');
  const listUsers = async ({ server }: PlanFixture) =>
    (await server.admin.userAccesses.listUsers({ params: { groupName: 'ops' } })).items.map(({ userId }) => userId);

  /** A group outside the set, with members u1 and u2 from the set and u3 from another writer. */
  async function addMembers(fixture: PlanFixture): Promise<void> {
    const { admin } = fixture.server;
    await admin.groups.create({ body: { groupName: 'ops', roles: ['DEPLOY'] } });
    expect((await fixture.iam(applyWords(await fixture.write('listing.yaml', listing)))).code).toBe(0);
    await admin.userAccesses.addUser({ params: { groupName: 'ops' }, body: [{ userId: 'u3' }] });
  }

  test.each([
    ['the group without its users', unlisted],
    ['not even the group', 'set: base\n'],
  ])('removes memberships of the set and keeps others if the documents name %s', async (_what, text) => {
    await using fixture = await startPlanFixture();
    await addMembers(fixture);
    const file = await fixture.write('less.yaml', text);
    expect((await fixture.iam(pruneWords(file))).err).toContain('- ops: user u1 (anna)\n');
    expect(await listUsers(fixture)).toEqual(['u3']);
    expect((await fixture.server.admin.groups.get({ params: { groupId: 'ops' } })).roles).toEqual(['DEPLOY']);
    expect((await fixture.iam(['plan', '-f', file, '--prune'])).out).toContain('No changes');
  });

  test('needs the set name as confirmation, and is only reported without --prune', async ({ fixture }) => {
    await addMembers(fixture);
    const file = await fixture.write('less.yaml', unlisted);
    expect((await fixture.iam(applyWords(file))).out).toContain(
      'member of ops: user u1 (anna), member of ops: user u2 (bert)',
    );
    const outcome = await fixture.iam(applyWords(file, '--prune'));
    expect([outcome.code, outcome.err]).toEqual([
      10,
      expect.stringContaining('This permanently removes 2 memberships.'),
    ]);
    expect(await listUsers(fixture)).toEqual(['u1', 'u2', 'u3']);
  });

  test('reports lost roles', async ({ fixture }) => {
    await addMembers(fixture);
    const file = await fixture.write('less.yaml', unlisted);
    const { out } = await fixture.iam(['plan', '-f', file, '--prune', '-o', 'json']);
    expect((JSON.parse(out) as { roles: unknown[] }).roles).toEqual(
      [
        ['u1', 'anna'],
        ['u2', 'bert'],
      ].map(([id, name]) => ({ kind: 'user', id, name, gains: [], loses: ['DEPLOY'] })),
    );
  });

  test('keeps memberships that existed before, belong to another set or were withdrawn', async ({ fixture }) => {
    const { admin } = fixture.server;
    await admin.groups.create({ body: { groupName: 'ops' } });
    await admin.userAccesses.addUser({ params: { groupName: 'ops' }, body: [{ userId: 'u1' }] });
    await fixture.iam(applyWords(await fixture.write('listing.yaml', listing)));
    await fixture.iam(applyWords(await fixture.write('fewer.yaml', listing.replace(', u2', ''))));
    await admin.userAccesses.addUser({ params: { groupName: 'ops' }, body: [{ userId: 'u2' }] });
    const other = 'set: other\ngroups:\n  - groupName: ops\n    users: [u1, u2, u3]\n';
    await fixture.iam(applyWords(await fixture.write('other.yaml', other)));
    expect((await fixture.iam(pruneWords(await fixture.write('less.yaml', unlisted)))).out).toContain('No changes');
    expect(await listUsers(fixture)).toEqual(['u1', 'u2', 'u3']);
  });

  test('removes business users', async ({ fixture }) => {
    const text = `${unlisted}    businessUsers: [{ businessId: b1, userId: u1 }]\n`;
    expect((await fixture.iam(applyWords(await fixture.write('iam.yaml', text)))).code).toBe(0);
    expect((await fixture.iam(pruneWords(await fixture.write('less.yaml', unlisted)))).code).toBe(0);
    const params = { groupName: 'ops', businessId: 'b1' };
    expect((await fixture.server.admin.userAccesses.listBusinessUsers({ params })).items).toEqual([]);
  });
});

describe('a creation whose response is lost', () => {
  const words = (file: string) => applyWords(file, '--prune', '--confirm', 'base');
  const group = 'set: base\ngroups:\n  - {groupName: ops, roles: [DEPLOY]}\n';
  const record = ({ home }: PlanFixture) => home.file('state/iam/sets');

  async function readRecord(fixture: PlanFixture): Promise<string> {
    const [name = ''] = (await readdir(record(fixture))).filter((one) => one.endsWith('.jsonl'));
    return readFile(path.join(record(fixture), name), 'utf8');
  }

  const dumpDeletable = async ({ server }: PlanFixture) => {
    const { groups, memberships, clients, apiKeys, corporateGroups } = await dumpDirectory(server);
    return { groups, memberships, clients, apiKeys, corporateGroups };
  };

  /** The writes of the document; in a full run all of them, else those of a kind each. */
  const writes = Array.from({ length: 11 }, (_, at) => at + 1).filter((at) => isFullRun || at % 2 === 1);

  test.each(writes)('is found by --prune, also after a kill at write %s', async (broken) => {
    await using fixture = await startPlanFixture();
    const before = await dumpDeletable(fixture);
    const controller = new AbortController();
    let atRequest = '';
    await using proxy = await startInterposingProxy(fixture.server.url, broken, async () => {
      atRequest = await readRecord(fixture);
      controller.abort('SIGINT');
    });
    const file = await fixture.write('iam.yaml', everything);
    const { code } = await fixture.iam(applyWords(file), { url: proxy.url, signal: controller.signal });
    // An apply whose last requests are all sent completes.
    expect([0, 130]).toContain(code);
    // The process was killed after the server had the request, and while it wrote a line.
    const [name = ''] = await readdir(record(fixture));
    await writeFile(path.join(record(fixture), name), `${atRequest}{"what":"ma`);
    const empty = await fixture.write('empty.yaml', 'set: base\n');
    const pruned = await fixture.iam(words(empty), proxy);
    expect(pruned.code, pruned.err).toBe(0);
    expect(await dumpDeletable(fixture)).toEqual(before);
  });

  test('that the server did not receive leaves nothing to prune, and a later group of the name to others', async ({
    fixture,
  }) => {
    await using breaker = await startBreakingProxy(fixture.server.url, 1, 'before');
    const run = { url: breaker.url };
    const file = await fixture.write('iam.yaml', group);
    const lost = await fixture.iam(applyWords(file), run);
    expect(lost).toMatchObject({ code: 76, err: expect.stringContaining('? + group ops: the outcome is not known') });
    expect(await readRecord(fixture)).toContain('"what":"pending"');
    const empty = await fixture.write('empty.yaml', 'set: base\n');
    expect((await fixture.iam(applyWords(empty), run)).code).toBe(0);
    await fixture.server.admin.groups.create({ body: { groupName: 'ops', roles: ['DEPLOY'] } });
    expect((await fixture.iam(words(empty), run)).out).toContain('No changes');
    expect((await fixture.server.admin.groups.get({ params: { groupId: 'ops' } })).roles).toEqual(['DEPLOY']);
  });

  test.each([
    [1, 'client billing', 'iam clients rotate-secret'],
    [2, 'API key billing reports', 'iam api-key rotate'],
  ])('leaves a credential without its secret: write %s warns until the set owns %s', async (broken, name, command) => {
    await using fixture = await startPlanFixture();
    await using breaker = await startBreakingProxy(fixture.server.url, broken, 'after');
    const run = { url: breaker.url };
    const text =
      'set: base\nclients:\n  - {serviceAccountId: billing, appId: billing}\napiKeys:\n  - {serviceAccountId: billing, appId: reports}\n';
    const file = await fixture.write('iam.yaml', text);
    const lost = await fixture.iam(applyWords(file), run);
    expect(lost).toMatchObject({ code: 76, err: expect.stringContaining(`\`${command} ID\` replaces it`) });
    const warning = expect.stringMatching(
      new RegExp(`${name}: created by an earlier apply, and its secret is lost .*\`${command} [\\w-]+\` replaces it`),
    );
    const empty = await fixture.write('empty.yaml', 'set: base\n');
    expect((await fixture.iam(['plan', '-f', empty, '--prune'], run)).out).not.toContain('its secret is lost');
    expect(await fixture.iam(['plan', '-f', file], run)).toMatchObject({ code: 0, out: warning });
    expect(await fixture.iam(applyWords(file), run)).toMatchObject({ code: 0, out: warning });
    expect((await fixture.iam(['plan', '-f', file], run)).out).not.toContain('its secret is lost');
    expect((await fixture.iam(['plan', '-f', empty, '--prune'], run)).out).toContain('- API key billing reports');
  });

  /** Another writer creates the group before the next apply. */
  async function loseToOthers(fixture: PlanFixture, url: string): Promise<string> {
    const file = await fixture.write('iam.yaml', group);
    expect((await fixture.iam(applyWords(file), { url })).code).toBe(76);
    await fixture.server.admin.groups.create({ body: { groupName: 'ops', roles: ['THEIRS'] } });
    return fixture.write('empty.yaml', 'set: base\n');
  }

  test('leaves what another writer created, names it, and asks for it at a terminal', async ({ fixture }) => {
    await using breaker = await startBreakingProxy(fixture.server.url, 1, 'before');
    const run = { url: breaker.url };
    const empty = await loseToOthers(fixture, breaker.url);
    const left = await fixture.iam(words(empty), run);
    expect([left.code, left.out]).toEqual([
      0,
      expect.stringMatching(/not deleted by --prune: group ops: another writer may have created it/),
    ]);
    // Also if the set makes it as it was sent.
    await fixture.iam(applyWords(await fixture.write('iam.yaml', group)), run);
    expect((await fixture.iam(words(empty), run)).out).toContain('another writer may have created it');
    const { prompter, questions } = createScriptedPrompter(false);
    await fixture.iam(words(empty), { ...run, columns: 80, prompter });
    expect(questions[0]?.message).toContain('The set base or another writer created group ops');
    expect((await fixture.server.admin.groups.list()).items.map(({ groupName }) => groupName)).toContain('ops');
    const yes = createScriptedPrompter(true);
    const claimed = await fixture.iam(words(empty), { ...run, columns: 80, prompter: yes.prompter });
    expect([claimed.code, claimed.err]).toEqual([0, expect.stringContaining('- group ops')]);
    expect((await fixture.server.admin.groups.list()).items.map(({ groupName }) => groupName)).not.toContain('ops');
  });

  test('is not looked for by a second apply while the first runs: it waits for the first, or exits with 75', async ({
    fixture,
  }) => {
    const file = await fixture.write('iam.yaml', group);
    let refused: CliResult | undefined;
    let waiting: Promise<CliResult> | undefined;
    await using proxy = await startInterposingProxy(fixture.server.url, 1, async () => {
      const before = await readRecord(fixture);
      refused = await fixture.iam(applyWords(file), { url: proxy.url });
      expect(await readRecord(fixture)).toBe(before);
      waiting = fixture.iam(applyWords(file, '--max-wait', '60'), { url: proxy.url });
    });
    expect((await fixture.iam(applyWords(file), { url: proxy.url })).code).toBe(0);
    expect(refused).toMatchObject({ code: 75, err: expect.stringContaining('Another apply of this set is running') });
    expect(await waiting).toMatchObject({ code: 0, out: expect.stringContaining('No changes') });
    expect(await readdir(record(fixture))).toHaveLength(1);
  });

  test('is sent again, and stays the own one of the set if the first request still arrives', async ({ fixture }) => {
    await using breaker = await startBreakingProxy(fixture.server.url, 1, 'before');
    const file = await fixture.write('iam.yaml', group);
    expect((await fixture.iam(applyWords(file), { url: breaker.url })).code).toBe(76);
    breaker.breakNext(Number.NaN);
    const { admin } = fixture.server;
    const run = { url: breaker.url, columns: 80 };
    const { prompter } = createScriptedPrompter(async () => {
      await admin.groups.create({ body: { groupName: 'ops', roles: ['DEPLOY'] } });
      return true;
    });
    expect((await fixture.iam(['apply', '-f', file], { ...run, prompter })).code).toBe(6);
    const empty = await fixture.write('empty.yaml', 'set: base\n');
    expect((await fixture.iam(words(empty), { url: breaker.url })).err).toContain('- group ops');
  });
});

describe('what --prune leaves', () => {
  test('customers are named with the reason', async ({ fixture }) => {
    await applyEverything(fixture);
    const empty = await fixture.write('empty.yaml', 'set: base\n');
    const { out } = await fixture.iam(['plan', '-f', empty, '--prune']);
    expect(out).toMatch(
      /not deleted by --prune: customer b9 \(Nine\), customer u2 \(bert\): the service cannot delete it/,
    );
    const { kept } = JSON.parse((await fixture.iam(['plan', '-f', empty, '--prune', '-o', 'json'])).out);
    expect(kept).toMatchObject([
      { kind: 'customer', name: 'b9' },
      { kind: 'customer', name: 'u2' },
    ]);
  });

  test('a membership that others removed and gave again is theirs', async ({ fixture }) => {
    const { admin } = fixture.server;
    const text = 'set: base\ngroups:\n  - groupName: ops\n';
    await fixture.iam(applyWords(await fixture.write('iam.yaml', `${text}    users: [u1]\n`)));
    const member = { groupName: 'ops', userId: 'u1' };
    await admin.userAccesses.removeUser({ params: member });
    const file = await fixture.write('less.yaml', text);
    await fixture.iam(applyWords(file));
    await admin.userAccesses.addUser({ params: { groupName: 'ops' }, body: [{ userId: 'u1' }] });
    expect((await fixture.iam(applyWords(file, '--prune', '--confirm', 'base'))).out).toContain('No changes');
  });
});

/** Users and businesses in documents, by id or by name. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { applySeed } from '../../../src/server/seed/apply.ts';
import { type PlanFixture, startPlanFixture } from './plan-fixture.ts';

let fixture: PlanFixture;
beforeEach(async () => {
  fixture = await startPlanFixture({
    businesses: [
      { businessId: 'b1', businessName: 'One', document: '1' },
      { businessId: 'b2', businessName: 'Two', document: '2' },
      { businessId: 'b3', businessName: 'Twin', document: '3' },
      { businessId: 'b4', businessName: 'Twin', document: '4' },
    ],
  });
});
afterEach(() => fixture[Symbol.asyncDispose]());

const names =
  'groups:\n  - groupName: ops\n    roles: [DEPLOY]\n    users: [anna, u1, u2]\n    businesses: [Two]\n' +
  '    businessUsers: [{businessId: One, userId: anna}]\n';

test('names become ids, and a second plan is empty', async () => {
  const file = await fixture.write('ops.yaml', names);
  const planned = (await fixture.iam(['plan', '-f', file])).out;
  for (const named of ['u1 (anna)', 'b2 (Two)', 'b1 (One)/u1 (anna)', 'user u2 (bert)', 'business b2 (Two)'])
    expect(planned).toContain(named);
  expect(await fixture.iam(['apply', '-f', file, '--yes', '-q'])).toMatchObject({ code: 0 });
  const { out } = await fixture.iam(['groups', 'members', 'ops', '-o', 'json']);
  expect(JSON.parse(out)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: 'user', userId: 'u1' }),
      expect.objectContaining({ kind: 'user', userId: 'u2' }),
      expect.objectContaining({ kind: 'business', businessId: 'b2' }),
      expect.objectContaining({ kind: 'businessUser', businessId: 'b1', userId: 'u1' }),
    ]),
  );
  const again = await fixture.iam(['plan', '-f', file, '--detailed-exitcode']);
  expect([again.code, again.err]).toEqual([0, '']);
});

test('the id and the name of one business count once, and one business has one corporate group', async () => {
  const once = 'corporateGroups:\n  - {corporateGroupName: holding, businesses: [b1, One]}\n';
  const file = await fixture.write('once.yaml', once);
  expect(await fixture.iam(['apply', '-f', file, '--yes', '-q'])).toMatchObject({ code: 0 });
  const { out } = await fixture.iam(['corporate-groups', 'list', '-o', 'json']);
  expect((JSON.parse(out) as { businesses: unknown }[])[0]?.businesses).toEqual([{ businessId: 'b1' }]);
  const twice = `${once}  - {corporateGroupName: other, businesses: [One]}\n`;
  const outcome = await fixture.iam(['plan', '-f', await fixture.write('twice.yaml', twice)]);
  expect([outcome.code, outcome.err]).toEqual([2, expect.stringContaining('already in holding')]);
});

test('an unknown name is an error with its position, and an ambiguous one lists the candidates', async () => {
  const before = await fixture.server.dump();
  const unknown = await fixture.write('unknown.yaml', 'groups:\n  - {groupName: ops, users: [dora]}\n');
  expect(await fixture.iam(['apply', '-f', unknown, '--yes'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('unknown.yaml:2:30: user dora not found'),
  });
  const text =
    'groups:\n  - {groupName: ops, businesses: [Twin], users: [dora], services: [nosuch]}\n  - groupName: new\n    businessUsers: [{businessId: Twin, userId: anna}]\n    dependencies: [{groupName: none}]\n';
  const ambiguous = await fixture.write('ambiguous.yaml', text);
  const outcome = await fixture.iam(['apply', '-f', ambiguous, '--yes']);
  expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining('The documents have 5 errors.') });
  const twin = '2 businesses match "Twin" (b3, b4). Use the id of one of them.';
  for (const line of [`:2:35: ${twin}`, ':2:50: user dora not found', ':2:68: service nosuch', `:4:34: ${twin}`, ':5:'])
    expect(outcome.err).toContain(`ambiguous.yaml${line}`);
  expect(await fixture.server.dump()).toEqual(before);
});

test('an id that looks like the login name of another user needs id:, also after an export', async () => {
  await applySeed({ users: [{ userId: 'ceo@corp.test', userName: 'stranger' }] }, fixture.server.appContext);
  const document = (user: string) => `groups:\n  - {groupName: power, roles: [DEPLOY], users: ['${user}']}\n`;
  const before = await fixture.server.dump();
  const bare = await fixture.write('bare.yaml', document('ceo@corp.test'));
  const refused = await fixture.iam(['apply', '-f', bare, '--yes']);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('id:ceo@corp.test') });
  expect(await fixture.server.dump()).toEqual(before);
  const typed = await fixture.write('typed.yaml', document('id:ceo@corp.test'));
  expect(await fixture.iam(['apply', '-f', typed, '--yes', '-q'])).toMatchObject({ code: 0 });
  const exported = await fixture.iam(['export', '--kind', 'groups']);
  expect(exported.out).toContain('- stranger');
  const again = await fixture.write('exported.yaml', exported.out);
  expect(await fixture.iam(['plan', '-f', again, '--detailed-exitcode'])).toMatchObject({ code: 0, err: '' });
});

test('a business that the documents create is named by its name, unless another one has it', async () => {
  const document = (name: string) =>
    `customers:\n  - {businessName: ${name}, document: '77'}\ngroups:\n  - {groupName: ops, roles: [A], users: [u1], businesses: [${name}]}\n`;
  const before = await fixture.server.dump();
  const taken = await fixture.write('taken.yaml', document('One'));
  const refused = await fixture.iam(['apply', '-f', taken, '--yes']);
  expect(refused).toMatchObject({
    code: 2,
    err: expect.stringMatching(/taken\.yaml:2:\d+: The business name "One" is that of b1, and of the customer/),
  });
  expect(await fixture.server.dump()).toEqual(before);
  const free = await fixture.write('free.yaml', document('Seven & Sons'));
  const planned = (await fixture.iam(['plan', '-f', free])).out;
  for (const shown of ['user u1 (anna)', 'business Seven & Sons ']) expect(planned).toContain(shown);
  expect(await fixture.iam(['apply', '-f', free, '--yes', '-q', '--set', 'base'])).toMatchObject({ code: 0 });
  expect(await fixture.iam(['plan', '-f', free, '--detailed-exitcode'])).toMatchObject({ code: 0, err: '' });
  const gone = await fixture.write('gone.yaml', 'set: base\ngroups: []\n');
  expect((await fixture.iam(['plan', '-f', gone, '--prune'])).out).toContain('ops');
});

test('a business customer is not mistaken for a user customer with the same document number', async () => {
  await applySeed({ businesses: [{ businessId: 'b5', businessName: 'undefined' }] }, fixture.server.appContext);
  const user = "{userId: u2, name: Bert, document: '1'}";
  const document = `customers:\n  - {businessName: One, document: '1'}\n  - ${user}\ngroups:\n  - {groupName: ops, roles: [A], businesses: [One, undefined]}\n`;
  const file = await fixture.write('same.yaml', document);
  expect(await fixture.iam(['apply', '-f', file, '--yes', '-q'])).toMatchObject({ code: 0 });
  for (const text of [document, (await fixture.iam(['export'])).out])
    expect(
      await fixture.iam(['plan', '-f', await fixture.write('again.yaml', text), '--detailed-exitcode']),
    ).toMatchObject({ code: 0, err: '' });
});

test('values mean the same where so many are looked up that whole lists are read', async () => {
  const fillers = Array.from({ length: 51 }, (_, at) => `f${at}`);
  const users = [
    { userId: 'ceo@corp.test', userName: 'stranger' },
    { userId: 'u9', userName: 'ANNA.B', identities: ['a.brown'] },
    { userId: 'u8', userName: 'dora@corp.test', userEmail: 'dora@corp.test' },
    ...fillers.map((userId) => ({ userId, userName: `name-${userId}` })),
  ];
  const businesses = ['b1', ...fillers].map((name, at) => ({ businessId: `x${at}`, businessName: name }));
  await applySeed({ users, businesses }, fixture.server.appContext);
  const plan = async (values: string, filler: readonly string[]) => {
    const file = await fixture.write(
      'values.yaml',
      `groups:\n  - {groupName: ops, roles: [A], ${values}}\n  - {groupName: fill, users: [${filler}], businesses: [${filler}]}\n`,
    );
    const { code, out, err } = await fixture.iam(['plan', '-f', file]);
    const lines = (out + err).split('\n').filter((line) => !/\bf\d+|\bfill|name-f|change|\+ \d+ more/.test(line));
    return [code, lines];
  };
  for (const values of [
    ...['anna', 'ANNA', 'u1', 'id:u1', 'name:anna', 'name:u1', 'a.brown', 'anna.b', 'dora@corp.test', 'unknown'],
    ...['id:ceo@corp.test', 'ceo@corp.test'],
  ]
    .map((value) => `users: ['${value}']`)
    .concat(
      ['One', 'b2', 'b1', 'id:b1', 'name:b1', 'name:One', 'Twin', 'name:b2', 'nothing'].map(
        (value) => `businesses: ['${value}']`,
      ),
    ))
    expect([values, await plan(values, fillers)]).toEqual([values, await plan(values, [])]);
});

test('the id of one business that is the name of another is ambiguous', async () => {
  await applySeed({ businesses: [{ businessId: 'b5', businessName: 'b1' }] }, fixture.server.appContext);
  const file = await fixture.write('both.yaml', 'groups:\n  - {groupName: ops, businesses: [b1]}\n');
  const outcome = await fixture.iam(['plan', '-f', file]);
  expect(outcome).toMatchObject({ code: 2, err: expect.stringMatching(/2 businesses match "b1"[\s\S]*id:b1/) });
  const decided = await fixture.write('decided.yaml', "groups:\n  - {groupName: ops, businesses: ['name:b1']}\n");
  expect((await fixture.iam(['plan', '-f', decided])).out).toContain('b5');
});

test('a service account that a user chose for its own client names no client of the documents', async () => {
  const stranger = { appId: 'billing', serviceAccountId: 'billing', party: '3RDPARTY', userId: 'u2' } as const;
  const { clientId } = await fixture.server.makeClient(stranger);
  const write = (owner: string) =>
    fixture.write(
      'billing.yaml',
      `clients:\n  - {serviceAccountId: billing, appId: billing${owner}}\napiKeys:\n  - {serviceAccountId: billing, appId: reports}\n`,
    );
  const before = await fixture.server.dump();
  expect(await fixture.iam(['apply', '-f', await write(''), '--yes'])).toMatchObject({
    code: 2,
    err: expect.stringContaining(`belongs to the client ${clientId} with the userId u2; add its clientId`),
  });
  expect(await fixture.server.dump()).toEqual(before);
  for (const owner of [`, clientId: ${clientId}`, ', userId: u2'])
    expect(await fixture.iam(['plan', '-f', await write(owner)])).toMatchObject({ code: 0 });
  const exported = await fixture.write('exported.yaml', (await fixture.iam(['export', '--kind', 'clients'])).out);
  expect(await fixture.iam(['plan', '-f', exported, '--detailed-exitcode'])).toMatchObject({ code: 0, err: '' });
});

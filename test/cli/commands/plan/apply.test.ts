import { mkdir, stat, writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { run } from '../../../../src/cli/run.ts';
import { isFullRun } from '../../../effort.ts';
import { dumpDirectory, type PlanFixture, startPlanFixture, test } from '../../plan/plan-fixture.ts';
import { everything } from '../../plan/sample-documents.ts';
import { startBreakingProxy, startInterposingProxy } from '../../plan/write-proxy.ts';

/** Applies a document and expects success. */
async function apply(fixture: PlanFixture, text: string, ...more: string[]) {
  const file = await fixture.write('apply.yaml', text);
  const outcome = await fixture.iam(['apply', '-f', file, '--yes', ...more]);
  expect(outcome.code, outcome.err).toBe(0);
  return outcome;
}

/** The groups as the server lists them. */
async function groupsOf({ server }: PlanFixture) {
  const { items } = await server.admin.groups.list({ query: { limit: 1000 } });
  return Object.fromEntries(items.map(({ groupName, roles, dependencies }) => [groupName, { roles, dependencies }]));
}

async function usersIn({ server }: PlanFixture, groupName: string): Promise<string[]> {
  const { items } = await server.admin.userAccesses.listUsers({ params: { groupName } });
  return items.map(({ userId }) => userId);
}

describe('apply', () => {
  test('creates everything in a valid order, and a second apply changes nothing', async ({ fixture }) => {
    await apply(fixture, everything);
    const once = await dumpDirectory(fixture.server);
    const again = await apply(fixture, everything);
    expect(again.out).toContain('No changes');
    expect(await dumpDirectory(fixture.server)).toEqual(once);
    expect((await groupsOf(fixture)).leads).toEqual({
      roles: ['LEAD', 'APPROVE'],
      dependencies: [{ groupName: 'ops' }],
    });
    expect(await usersIn(fixture, 'ops')).toEqual(['u2', 'u3']);
  });

  test('finds what the server stores in another form of Unicode than the documents', async ({ fixture }) => {
    const cafe = 'cafe\u0301';
    const text = `set: base
clients:
  - {serviceAccountId: svc, appId: ${cafe}}
apiKeys:
  - {serviceAccountId: svc, appId: ${cafe}}
groups:
  - {groupName: ${cafe}, users: [u1]}
  - {groupName: staff, dependencies: [{groupName: ${cafe}}]}
`;
    await apply(fixture, text);
    const once = await dumpDirectory(fixture.server);
    expect((await groupsOf(fixture)).staff?.dependencies).toEqual([{ groupName: cafe.normalize('NFC') }]);
    expect((await apply(fixture, text, '--prune')).out).toContain('No changes');
    expect(await dumpDirectory(fixture.server)).toEqual(once);
    const file = await fixture.write('twice.yaml', `${text}  - groupName: ${cafe.normalize('NFC')}\n`);
    expect((await fixture.iam(['plan', '-f', file])).err).toContain('duplicate group');
  });

  test('keeps omitted fields, and treats a list as the complete list', async ({ fixture }) => {
    await apply(fixture, everything);
    await apply(fixture, 'groups:\n  - groupName: ops\n    users: [u1]\n');
    expect(await usersIn(fixture, 'ops')).toEqual(['u1']);
    expect((await groupsOf(fixture)).ops?.roles).toEqual(['DEPLOY']);
    const { items } = await fixture.server.admin.serviceAccesses.listServices({ params: { groupId: 'ops' } });
    expect(items).toEqual([{ serviceId: 'billing' }]);
    await apply(
      fixture,
      'groups:\n  - {groupName: ops, organizationId: null, users: [], businesses: [], businessUsers: []}\n',
    );
    expect(await usersIn(fixture, 'ops')).toEqual([]);
    expect(await fixture.server.admin.groups.get({ params: { groupId: 'ops' } })).not.toHaveProperty('organizationId');
  });

  test('reverses a dependency without an intermediate cycle', async ({ fixture }) => {
    await apply(
      fixture,
      'groups:\n  - {groupName: a, dependencies: [{groupName: b}]}\n  - {groupName: b, dependencies: [{groupName: c}]}\n  - groupName: c\n',
    );
    await apply(
      fixture,
      'groups:\n  - {groupName: a, dependencies: []}\n  - {groupName: b, dependencies: [{groupName: a}]}\n  - {groupName: c, dependencies: [{groupName: b}]}\n',
    );
    const { a, b, c } = await groupsOf(fixture);
    expect([a, b, c].map((group) => group?.dependencies)).toEqual([[], [{ groupName: 'a' }], [{ groupName: 'b' }]]);
  });

  test('moves businesses between corporate groups, also in both directions at once', async ({ fixture }) => {
    await apply(
      fixture,
      'corporateGroups:\n  - {corporateGroupName: x, businesses: [b1]}\n  - {corporateGroupName: y, businesses: [b2]}\n',
    );
    await apply(
      fixture,
      'corporateGroups:\n  - {corporateGroupName: x, businesses: [b2]}\n  - {corporateGroupName: y, businesses: [b1]}\n',
    );
    const { items } = await fixture.server.admin.corporateGroups.list();
    expect(items.map(({ businesses }) => businesses)).toEqual([[{ businessId: 'b2' }], [{ businessId: 'b1' }]]);
  });

  test('moves a client to another unit, and an API key to another application, without recreating it', async ({
    fixture,
  }) => {
    // With roles from a group, only a caller with all of them could move it.
    const uris = ['https://a.example.com/cb', 'http://localhost/cb', 'com.example.app:/cb'];
    const settings = {
      idTokenAlg: 'ES256',
      requirePkce: false,
      browserLogin: false,
      requirePushedAuthorizationRequests: true,
    };
    const document = everything
      .replace('    services: [billing]\n', '')
      .replace(
        'WRITE]}',
        `WRITE], redirectURIs: ['${uris[0]}', '${uris[1]}'], audiences: ['urn:a', 'urn:b'], idTokenAlg: ES256, requirePkce: false, browserLogin: false, requirePushedAuthorizationRequests: true}`,
      );
    await apply(fixture, document);
    expect((await fixture.server.dump()).clients).toContainEqual(
      expect.objectContaining({
        redirectURI: uris[0],
        otherRedirectURIs: [uris[1]],
        ...settings,
        audiences: ['urn:a', 'urn:b'],
      }),
    );
    const before = (await fixture.server.admin.apiKey.list()).items[0];
    const outcome = await apply(
      fixture,
      `clients:\n  - {serviceAccountId: billing, organizationId: o, businessUnitId: u, redirectURIs: ['${uris[2]}', '${uris[0]}'], audiences: ['urn:c'], idTokenAlg: RS256, postLogoutRedirectURIs: ['${uris[1]}']}\napiKeys:\n  - {serviceAccountId: billing, appId: other, apiKeyId: ${before?.apiKeyId}}\n`,
    );
    expect(outcome.out).not.toContain('Secret');
    const { items } = await fixture.server.admin.apiKey.list();
    expect(items).toMatchObject([{ apiKeyId: before?.apiKeyId, hint: before?.hint, appId: 'other' }]);
    expect((await fixture.server.dump()).clients).toContainEqual(
      expect.objectContaining({
        ...{ organizationId: 'o', businessUnitId: 'u' },
        ...{ redirectURI: uris[2], otherRedirectURIs: [uris[0]], audiences: ['urn:c'] },
        ...{ ...settings, idTokenAlg: 'RS256', postLogoutRedirectURIs: [uris[1]] },
      }),
    );
  });

  test.each([
    [
      'an unknown user',
      'groups:\n  - groupName: new\n  - {groupName: ops, users: [u1, unknown]}\n',
      '3:34: user unknown not found',
    ],
    ['a malformed document', 'groups:\n  - groupName: new\n   roles: [\n', '3:'],
    [
      'a cycle',
      'groups:\n  - {groupName: new, dependencies: [{groupName: b}]}\n  - {groupName: b, dependencies: [{groupName: new}]}\n',
      'b -> new -> b',
    ],
    [
      'a change that the interface does not support',
      'groups:\n  - groupName: new\nclients:\n  - {clientId: test-app, appId: other}\n',
      "the API can't change it",
    ],
    [
      'a change of a customer',
      'groups:\n  - groupName: new\ncustomers:\n  - {businessId: b1, businessName: Uno, document: "1"}\n',
      'businessName of the customer',
    ],
    [
      'an unknown client',
      'groups:\n  - groupName: new\nclients:\n  - {clientId: none, appId: x}\n',
      "ids can't be chosen",
    ],
    [
      'a business of a corporate group that is not in the documents',
      'groups:\n  - groupName: new\ncorporateGroups:\n  - {corporateGroupName: other, businesses: [b3]}\n',
      'which the documents do not change',
    ],
  ])('writes nothing for %s, and reports the position', async (_what, text, message) => {
    await using fixture = await startPlanFixture({
      businesses: [
        { businessId: 'b1', businessName: 'One', document: '1' },
        { businessId: 'b2', businessName: 'Two', document: '2' },
        { businessId: 'b3', businessName: 'Three', corporateGroupName: 'existing' },
      ],
      corporateGroups: [{ corporateGroupName: 'existing' }],
    });
    const before = await dumpDirectory(fixture.server);
    const file = await fixture.write('bad.yaml', text);
    const outcome = await fixture.iam(['apply', '-f', file, '--yes']);
    expect([outcome.code, outcome.out]).toEqual([2, '']);
    expect(outcome.err).toContain(message);
    expect(outcome.err).toContain(`${file}:`);
    expect(await dumpDirectory(fixture.server)).toEqual(before);
  });

  test('a dry run prints the plan, does not prompt and writes nothing', async ({ fixture }) => {
    const before = await dumpDirectory(fixture.server);
    const file = await fixture.write('iam.yaml', everything);
    const outcome = await fixture.iam(['apply', '-f', file, '--dry-run']);
    expect(outcome.code).toBe(0);
    expect(outcome.out).toContain('+ group ops');
    expect(outcome.err).toBe('Dry run, nothing was sent.\n');
    expect(await dumpDirectory(fixture.server)).toEqual(before);
  });

  test('prompts before it writes: in non-interactive mode it exits with 10 and writes nothing', async ({ fixture }) => {
    const before = await dumpDirectory(fixture.server);
    const file = await fixture.write('iam.yaml', everything);
    expect((await fixture.iam(['apply', '-f', file])).code).toBe(10);
    expect((await fixture.iam(['apply', '-f', '-'], { stdin: everything, columns: 80 })).code).toBe(10);
    expect(await dumpDirectory(fixture.server)).toEqual(before);
  });

  test('works with a server that returns rejections with status 200', async () => {
    await using fixture = await startPlanFixture({}, { 'soft-errors': true });
    await apply(fixture, everything);
    expect((await apply(fixture, everything)).out).toContain('No changes');
    await using between = await startInterposingProxy(fixture.server.url, 1, () =>
      fixture.server.admin.groups.addRole({ params: { groupId: 'ops' }, body: { roleName: 'THEIRS' } }),
    );
    const file = await fixture.write('iam.yaml', 'groups:\n  - {groupName: ops, roles: [MINE]}\n');
    expect((await fixture.iam(['apply', '-f', file, '--yes'], { url: between.url })).code).toBe(0);
    expect((await groupsOf(fixture)).ops?.roles).toEqual(['THEIRS', 'MINE']);
  });

  test('prints one document with the changes for programs', async ({ fixture }) => {
    const { out } = await apply(fixture, everything, '-o', 'json');
    const result = JSON.parse(out) as Record<string, unknown>;
    expect(result.summary).toEqual({ create: 7, update: 0, delete: 0, gain: 5, lose: 0 });
    expect(result.secrets).toMatchObject([
      { kind: 'client', serviceAccountId: 'billing' },
      { kind: 'apiKey', appId: 'reports' },
    ]);
  });
});

describe('new secrets', () => {
  test('are printed once, and are valid', async ({ fixture }) => {
    const { out } = await apply(fixture, everything);
    const [, clientId = '', clientSecret = ''] = /client (\S+) of billing: (\S+)/.exec(out) ?? [];
    const { accessToken } = await fixture.server.as({ clientId, clientSecret }).clientIdentities.login();
    expect(accessToken).toBeTruthy();
    expect((await apply(fixture, everything)).out).not.toContain(clientSecret);
  });

  test('are written only to the private file of --secret-output', async ({ fixture }) => {
    const file = fixture.home.file('secrets.jsonl');
    const { out, err } = await apply(fixture, everything, '--secret-output', file);
    const secrets = (await fixture.read('secrets.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(secrets.map(({ kind }) => kind)).toEqual(['client', 'apiKey']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    for (const { clientSecret, apiKey } of secrets) expect(out + err).not.toContain(clientSecret ?? apiKey);
  });

  test.each(['table', 'json', 'yaml'])('that -o %s cannot print are an error with their owners', async (format) => {
    await using fixture = await startPlanFixture();
    const file = await fixture.write('iam.yaml', everything);
    const program: typeof run = (words, io, environment) =>
      run(words, { ...io, isStdoutNull: () => true }, environment);
    const { code, err } = await fixture.iam(['apply', '-f', file, '--yes', '-o', format], { program });
    expect([code, err]).toEqual([
      70,
      expect.stringMatching(/billing.* the secrets are lost\. Cannot write the output/),
    ]);
  });

  test('are not issued if they cannot be stored', async ({ fixture }) => {
    const before = await dumpDirectory(fixture.server);
    const file = await fixture.write('iam.yaml', everything);
    expect((await fixture.iam(['apply', '-f', file, '--yes', '--secret-output', file])).code).toBe(2);
    expect((await fixture.iam(['apply', '-f', file, '--yes', '-o', 'csv'])).code).toBe(2);
    expect(await dumpDirectory(fixture.server)).toEqual(before);
  });
});

describe('an interrupted apply', () => {
  const shape = async (fixture: PlanFixture) => {
    const document = await fixture.iam(['export']);
    return document.out.replaceAll(/ {6}- 0\w{23}\n/g, '');
  };

  /** The writes that break: all in a full run, else some, each either before or after the server has received it. */
  function listBreaks(writes: number, when: 'before' | 'after'): readonly number[] {
    expect(writes).toBeGreaterThan(7);
    const all = Array.from({ length: writes }, (_, at) => at + 1);
    return all.filter((at) => isFullRun || (when === 'before' ? at % 8 === 1 : at === writes || at % 8 === 5));
  }

  test.each(['before', 'after'] as const)(
    '%s any of its writes continues when it is run again',
    async (when) => {
      await using whole = await startPlanFixture();
      await using counter = await startBreakingProxy(whole.server.url, Number.NaN, when);
      const document = await whole.write('iam.yaml', everything);
      expect((await whole.iam(['apply', '-f', document, '--yes'], { url: counter.url })).code).toBe(0);
      const expected = await shape(whole);
      for (const broken of listBreaks(counter.writes, when)) {
        await using fixture = await startPlanFixture();
        await using breaker = await startBreakingProxy(fixture.server.url, broken, when);
        const file = await fixture.write('iam.yaml', everything);
        const first = await fixture.iam(['apply', '-f', file, '--yes'], { url: breaker.url });
        const second = await fixture.iam(['apply', '-f', file, '--yes']);
        expect([broken, first.code, second.code]).toEqual([broken, 76, 0]);
        expect([broken, (await fixture.iam(['diff', '-f', file])).code]).toEqual([broken, 0]);
        expect(await shape(fixture)).toBe(expected);
      }
    },
    120_000,
  );

  const other = `set: base
clients:
  - {serviceAccountId: billing, organizationId: o, businessUnitId: u}
corporateGroups:
  - {corporateGroupName: second, businesses: [b1]}
groups:
  - {groupName: base, roles: [BASE]}
  - {groupName: ops, dependencies: [{groupName: base}], roles: [DEPLOY, ROLLBACK], users: [u1], businesses: [], services: []}
`;

  test.each(['before', 'after'] as const)(
    '%s any update or delete continues as well',
    async (when) => {
      /** Applies the other document after everything; the given write of it breaks. */
      const applyOther = async (broken: number) => {
        await using fixture = await startPlanFixture();
        await using breaker = await startBreakingProxy(fixture.server.url, Number.NaN, when);
        // Always with the same address: created entities are recorded by address.
        const runOptions = { url: breaker.url };
        await fixture.iam(['apply', '-f', await fixture.write('iam.yaml', everything), '--yes'], runOptions);
        breaker.breakNext(broken);
        const file = await fixture.write('other.yaml', other);
        const words = ['apply', '-f', file, '--yes', '--prune', '--confirm', 'base'];
        const first = await fixture.iam(words, runOptions);
        const { writes } = breaker;
        breaker.breakNext(Number.NaN);
        const second = await fixture.iam(words, runOptions);
        expect([broken, second.code], second.err).toEqual([broken, 0]);
        expect((await fixture.iam([...words, '--dry-run'], runOptions)).out).toContain('No changes');
        return { code: first.code, writes, after: await shape(fixture) };
      };
      const whole = await applyOther(Number.NaN);
      expect(whole.code).toBe(0);
      for (const broken of listBreaks(whole.writes, when)) {
        const { code, after } = await applyOther(broken);
        expect([broken, code, after]).toEqual([broken, 76, whole.after]);
      }
    },
    120_000,
  );

  test('prints the secrets that it had issued', async ({ fixture }) => {
    await using breaker = await startBreakingProxy(fixture.server.url, 5, 'before');
    const file = await fixture.write('iam.yaml', everything);
    const outcome = await fixture.iam(['apply', '-f', file, '--yes'], { url: breaker.url });
    expect(outcome.code).toBe(76);
    expect(outcome.out).toMatch(/client \S+ of billing: \S{40}/);
  });

  test('exits with 130 after an interrupt, and continues when it is run again', async ({ fixture }) => {
    const controller = new AbortController();
    await using between = await startInterposingProxy(fixture.server.url, 4, async () => controller.abort('SIGINT'));
    const file = await fixture.write('iam.yaml', everything);
    const words = ['apply', '-f', file, '--yes'];
    expect((await fixture.iam(words, { url: between.url, signal: controller.signal })).code).toBe(130);
    expect((await fixture.iam(words)).code).toBe(0);
    expect((await fixture.iam(['diff', '-f', file])).code).toBe(0);
  });

  test('records what it had created, so that it can be pruned', async ({ fixture }) => {
    const controller = new AbortController();
    await using between = await startInterposingProxy(fixture.server.url, 4, async () => controller.abort('SIGINT'));
    const file = await fixture.write('iam.yaml', everything);
    const words = ['apply', '-f', file, '--yes', '--set', 'base'];
    const before = await dumpDirectory(fixture.server);
    expect((await fixture.iam(words, { url: between.url, signal: controller.signal })).code).toBe(130);
    // The request that was sent when the interrupt came is recorded: all that exists is pruned.
    expect(between.writes).toBe(4);
    const nothing = await fixture.write('nothing.yaml', 'set: base\ngroups: []\n');
    const prune = ['apply', '-f', nothing, '--prune', '--confirm', 'base'];
    // The record belongs to the server at this address.
    expect((await fixture.iam(prune, between)).code).toBe(0);
    // Customers cannot be deleted.
    const { groups, clients, apiKeys, corporateGroups } = await dumpDirectory(fixture.server);
    expect({ ...before, groups, clients, apiKeys, corporateGroups }).toEqual(before);
  });

  test('writes nothing if its set cannot be recorded', async ({ fixture }) => {
    await mkdir(fixture.home.file('state/iam'), { recursive: true });
    await writeFile(fixture.home.file('state/iam/sets'), 'a file in place of the folder');
    const file = await fixture.write('iam.yaml', 'set: base\ngroups:\n  - groupName: new\n');
    const outcome = await fixture.iam(['apply', '-f', file, '--yes']);
    expect(outcome.code).toBe(70);
    expect(await groupsOf(fixture)).not.toHaveProperty('new');
  });

  test('rejects a document number of another customer before the first write', async ({ fixture }) => {
    const text = 'customers:\n  - {businessId: new, businessName: New, document: "1"}\ngroups:\n  - groupName: new\n';
    const outcome = await fixture.iam(['apply', '-f', await fixture.write('iam.yaml', text), '--yes']);
    expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining('the document 1 belongs to b1') });
    expect(await groupsOf(fixture)).not.toHaveProperty('new');
  });

  test('rejects a name that is not visible as a whole or looks like a reference before the first write, unless the server has it', async ({
    fixture,
  }) => {
    const before = await dumpDirectory(fixture.server);
    for (const [text, message] of [
      [
        'groups:\n  - groupName: first\n  - groupName: "b\\u200bb"\n',
        'iam.yaml:3:16: groupName must not contain invisible',
      ],
      ['groups:\n  - groupName: first\n  - groupName: " x"\n', 'groupName must not start or end with a space'],
      [
        'groups:\n  - groupName: first\nclients:\n  - {serviceAccountId: s, appId: "x "}\n',
        'appId must not start or end',
      ],
      ['groups:\n  - groupName: id:ops\n', 'iam.yaml:2:16: groupName must not start with id:, which commands read as'],
      ['groups:\n  - groupName: name:ops\n', 'groupName must not start with name:, which commands read as'],
      ['groups:\n  - {groupName: x}\n  - {groupName: "id:x", roles: [A]}\n', 'groupName must not start with id:'],
      ['corporateGroups:\n  - corporateGroupName: id:cg\n', 'corporateGroupName must not start with id:'],
      ['clients:\n  - {serviceAccountId: "name:s", appId: x}\n', 'serviceAccountId must not start with name:'],
    ] as const) {
      const outcome = await fixture.iam(['apply', '-f', await fixture.write('iam.yaml', text), '--yes']);
      expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    }
    expect(await dumpDirectory(fixture.server)).toEqual(before);
  });

  test('that the server rejects after its first write exits with 8', async ({ fixture }) => {
    const file = await fixture.write('iam.yaml', 'groups:\n  - groupName: first\n  - groupName: second\n');
    await using proxy = await startInterposingProxy(fixture.server.url, 2, () =>
      fixture.server.admin.groups.create({ body: { groupName: 'second', roles: ['OTHER'] } }),
    );
    const outcome = await fixture.iam(['apply', '-f', file, '--yes'], { url: proxy.url });
    expect(outcome).toMatchObject({
      code: 8,
      err: expect.stringContaining('1 change was made, then a request failed: '),
    });
  });
});

describe('steps that do not depend on each other', () => {
  const numbers = Array.from({ length: 10 }, (_, at) => at);
  const bases = numbers.map((number) => `  - {groupName: base${number}, roles: [R${number}]}\n`).join('');
  const above = numbers
    .map((number) => `  - {groupName: above${number}, dependencies: [{groupName: base${number}}], users: [u1]}\n`)
    .join('');
  const document = `set: base\ngroups:\n${above}${bases}`;

  test('are sent at once, and those that depend on them afterwards', async ({ fixture }) => {
    await using proxy = await startInterposingProxy(fixture.server.url, 1, async () => {
      while (proxy.writes < numbers.length) await setImmediate();
      for (const _ of numbers) await setImmediate();
      expect(proxy.writes).toBe(numbers.length);
      expect(Object.keys(await groupsOf(fixture))).not.toContain('above0');
    });
    const file = await fixture.write('iam.yaml', document);
    expect(await fixture.iam(['apply', '-f', file, '--yes'], { url: proxy.url })).toMatchObject({ code: 0 });
    expect((await fixture.iam(['diff', '-f', file])).code).toBe(0);
  });

  test('are completed and recorded if others fail, and no further one starts', async ({ fixture }) => {
    const { admin } = fixture.server;
    await using proxy = await startInterposingProxy(fixture.server.url, 1, async () => {
      for (const groupName of ['base3', 'base4']) await admin.groups.create({ body: { groupName, roles: ['OTHER'] } });
    });
    // Clients are created before groups.
    const client = 'clients:\n  - {serviceAccountId: billing, appId: billing}\n';
    const file = await fixture.write('iam.yaml', document + client);
    const { code, err } = await fixture.iam(['apply', '-f', file, '--yes'], proxy);
    expect([code, err]).toEqual([8, expect.stringMatching(/^! \+ group base[34]: .+$/m)]);
    expect(err).toMatch(/error: 9 changes were made, then a request failed: .*base[34]/);
    const made = Object.keys(await groupsOf(fixture));
    expect(made).toEqual(expect.arrayContaining(numbers.map((number) => `base${number}`)));
    expect(made).not.toContain('above0');
    const empty = await fixture.write('empty.yaml', 'set: base\ngroups: []\n');
    const pruned = await fixture.iam(['apply', '-f', empty, '--prune', '--confirm', 'base'], proxy);
    expect(pruned.err).toContain('0 created, 0 changed, 9 deleted');
  });
});

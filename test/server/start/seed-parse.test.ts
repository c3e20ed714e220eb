/** Parsing a seed in YAML or JSON; errors contain file, line and column. */
import { describe, expect, test } from 'vitest';
import { parseSeed } from '../../../src/server/seed/parse.ts';

test('YAML and JSON are equivalent', async () => {
  const yaml =
    'groups:\n  - groupName: ops # a comment\n    roles: [A, B]\nsettings: {soft-errors: true, port: 8081}\n';
  const json = '{"groups":[{"groupName":"ops","roles":["A","B"]}],"settings":{"soft-errors":true,"port":8081}}';
  expect(await parseSeed(yaml, 'seed.yaml')).toEqual(await parseSeed(json, 'seed.json'));
  expect(await parseSeed(yaml, 'seed.yaml')).toEqual(JSON.parse(json));
});

test.each(['', '\n', '# nothing\n', '{}', 'null'])('%j is an empty seed', async (text) => {
  expect(await parseSeed(text, 's')).toEqual({});
});

/** Well-formed, but the memory of one login would be 4 GiB. */
const costlyHash = '$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$lDh0Fd+4TtGXdGWh6GJgc630K9Turh+qHdTiOh/2hZ8';

describe('an error contains its position', () => {
  const key = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';
  const faulty: [string, string, string][] = [
    ['an unknown kind', 'groups: []\ngruops: []\n', 's:2:1: gruops: unknown key'],
    [
      'a name for a dependency',
      'groups:\n  - groupName: ops\n    dependencies: [a]\n',
      's:3:20: groups[0].dependencies[0]: must be an object',
    ],
    [
      'none of the choices',
      'clients: [{clientId: a, party: FIRST}]\n',
      's:1:25: clients[0].party: must be one of 1STPARTY, 3RDPARTY',
    ],
    ['an unknown key', 'groups:\n  - groupName: ops\n    role: [A]\n', 's:3:5: groups[0].role: unknown key'],
    [
      'an unknown key in JSON',
      '{\n  "clients": [\n    {"clientId": "c", "secret": "x"}\n  ]\n}',
      's:3:23: clients[0].secret: unknown key',
    ],
    [
      'an unknown key deep inside',
      'groups:\n- groupName: a\n  dependencies:\n  - groupName: b\n    x: 1\n',
      's:5:5: groups[0].dependencies[0].x: unknown key',
    ],
    ['a missing key', 'groups:\n  - roles: [A]\n', 's:2:5: groups[0].groupName: is required'],
    ['a wrong type', 'groups:\n  - groupName: 5\n', 's:2:5: groups[0].groupName: must be text'],
    ['a wrong kind of list', 'groups: ops\n', 's:1:1: groups: must be a list'],
    [
      'a wrong value',
      'groups:\n  - groupName: ops\n    roles:\n      - A\n      - de ploy\n',
      's:5:9: groups[0].roles[1]: must be',
    ],
    [
      'a service with the id of its client',
      'clients:\n  - clientId: billing\n    serviceAccountId: billing\n',
      's:3:5: clients[0].serviceAccountId: must differ from clientId',
    ],
    ['a reserved id', 'clients:\n  - clientId: me\n', 's:2:5: clients[0].clientId: is a reserved word'],
    [
      'a bad hash',
      'users:\n  - userId: u\n    passwordHash: x\n',
      's:3:5: users[0].passwordHash: (of u) must be a hash of Argon2, PBKDF2',
    ],
    [
      'a hash that costs too much',
      `users:\n  - userId: u\n    userName: ada\n    passwordHash: ${costlyHash}\n`,
      's:4:5: users[0].passwordHash: (of ada) must be an Argon2 hash in PHC form with m=8 to 262144, t=1 to 10',
    ],
    [
      'a hash of a logon that costs too much',
      `mainframe:\n  - logon: ADA1\n    passwordHash: ${costlyHash}\n`,
      's:3:5: mainframe[0].passwordHash: (of ADA1) must be an Argon2 hash in PHC form with m=8 to 262144, t=1 to 10',
    ],
    [
      'two passwords',
      'users:\n  - userId: u\n    password: long enough\n    passwordHash: $argon2id$x\n',
      's:4:5: users[0].passwordHash: must not be combined with password',
    ],
    ['a user without a name', 'users:\n  - lead: true\n', 's:2:5: users[0]: must have a userId or a userName'],
    [
      'a short password',
      'users:\n  - userId: u\n    password: short\n',
      's:3:5: users[0].password: must have at least 8',
    ],
    [
      'a common password',
      'users:\n  - userId: u\n    password: iLoveYou\n',
      's:3:5: users[0].password: must not be one of the most common passwords',
    ],
    [
      'a password with the name in it',
      'users:\n  - userName: alice\n    password: 1-Alice-1\n',
      's:3:5: users[0].password: must not contain the user name',
    ],
    [
      'a short key',
      `apiKeys:\n  - appId: a\n    clientId: c\n    apiKey: ${key.slice(1)}\n`,
      's:4:5: apiKeys[0].apiKey: must be base64',
    ],
    ['no map', '- a\n', 's:1:1: the document: '],
    ['a text', 'hello', 's:1:1: the document: '],
    ['broken YAML', 'groups:\n  - groupName: "ops\n', 's:3:1: '],
    ['broken JSON', '{"groups": [}', 's:1:13: expected a value or ]'],
    ['a repeated member of JSON', '{\n"groups":[],\n"\\u0067roups":[]}', 's:3:1: "groups" is repeated in its object'],
    ['a key that is equal as text', 'settings:\n  1: a\n  "1": b\n', 's:3:3: '],
    ['a duplicate key', 'groups: []\ngroups: []\n', 's:2:1: '],
    ['two documents', 'groups: []\n---\ngroups: []\n', 's:2:1: '],
    ['a leading zero', 'users:\n- userMobile: {areaCode: 030}\n', 's:2:26: a number cannot keep a leading zero'],
    ['a leading zero after a sign', 'settings: {port: -08}', 's:1:18: a number cannot keep a leading zero'],
    ['a leading zero of YAML 1.1', '%YAML 1.1\n---\nsettings: {port: 010}', 's:3:18: a number cannot keep'],
    ['a hexadecimal number', 'settings: {port: 0x31}', 's:1:18: a number is written as in JSON'],
    ['an octal number', 'settings: {port: 0o31}', 's:1:18: a number is written as in JSON'],
    ['a plus sign', 'users:\n- userMobile: {regionCode: +49}\n', 's:2:28: a number is written as in JSON'],
    ['an unknown tag', 'users:\n- userName: !foo bar\n', 's:2:13: this tag is unknown'],
    ['a tag of binary data', 'users:\n- userName: !!binary aGk=\n', 's:2:22: must be text, a number'],
    ['an alias of itself', 'users: &u [{userName: a, identities: *u}]', 's:1:38: this alias stands for a value that'],
    ['an alias without an anchor', 'users: *u', 's:1:8: the anchor of this alias is not defined'],
    ['a list as a key', '? [users]\n: []\n', 's:1:3: keys must be text'],
    ['a member of prototypes', '{"__proto__": {"a": 1}}', 's:1:2: __proto__ is not allowed as a name'],
  ];
  test.each(faulty)('%s', async (_what, text, start) => {
    await expect(parseSeed(text, 's')).rejects.toThrow(
      expect.objectContaining({ name: 'SeedError', message: expect.stringContaining(start) }),
    );
  });

  test('and all errors are reported at once', async () => {
    const text = 'groups:\n  - groupName: ""\n    roles: [a b, B]\nx: 1\n';
    let message = '';
    try {
      await parseSeed(text, 'my seed.yaml');
    } catch (error) {
      message = (error as Error).message;
    }
    expect(
      message
        .split('\n')
        .map((line) => line.slice(0, 18))
        .sort(),
    ).toEqual(['my seed.yaml:2:5: ', 'my seed.yaml:3:13:', 'my seed.yaml:4:1: ']);
  });

  test('but no secret', async () => {
    for (const text of [
      'users:\n  - userId: u\n    password: canary\n',
      'clients:\n  - clientId: c\n    clientSecret: [canary]\n',
      `apiKeys:\n  - {appId: a, clientId: c, apiKey: canary}\n`,
    ])
      await expect(parseSeed(text, 's')).rejects.not.toThrow(/canary/);
  });
});

test('every role that a group cannot have is listed', async () => {
  const roles = ['cli-foo', 'A', 'Auth-Basic', 'iam_admin_x', 'BusinessOwner', 'ROLE_CLI-X', 'admin', 'USER'];
  const error = await parseSeed(JSON.stringify({ groups: [{ groupName: 'a', roles }] }), 's').catch(String);
  const found = [...String(error).matchAll(/groups\[0\]\.roles\[(\d)\]: (is a role that only|differs)/g)];
  expect(found.map(([, index, problem]) => `${index} ${problem}`)).toEqual([
    '0 differs',
    '2 differs',
    '3 differs',
    '4 differs',
    '5 is a role that only',
    '7 is a role that only',
  ]);
});

test('aliases are supported, but limited in number', async () => {
  const few = 'groups:\n  - groupName: a\n    roles: &r [A, B]\n  - groupName: b\n    roles: *r\n';
  expect((await parseSeed(few, 's')).groups?.[1]).toEqual({ groupName: 'b', roles: ['A', 'B'] });
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 12; level += 1)
    lines.push(
      `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    );
  await expect(parseSeed(`${lines.join('\n')}\n`, 's')).rejects.toThrow(
    expect.objectContaining({ name: 'SeedError', message: expect.stringMatching(/^s: /) }),
  );
});

test.each([
  ['a duplicate key', '{"groups": [{"groupName": "ops", "groupName": "dev"}]}'],
  ['a duplicate key with another spelling', '{"groups": [{"groupName": "ops", "group\\u004eame": "dev"}]}'],
])('JSON with %s is rejected', async (_what, text) => {
  await expect(parseSeed(text, 'seed.json')).rejects.toThrow(
    /^seed\.json:1:\d+: "groupName" is repeated in its object$/,
  );
});

test('JSON is parsed whatever its strings contain', async () => {
  const roles = ['A', 'B'];
  const text = JSON.stringify({ groups: [{ groupName: 'a":b : \\" c', roles, organizationId: '{"x":1}' }] }, null, 1);
  expect((await parseSeed(text, 'seed.json')).groups).toMatchObject([{ groupName: 'a":b : \\" c', roles }]);
});

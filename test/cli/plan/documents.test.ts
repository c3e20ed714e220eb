import { describe, expect, test } from 'vitest';
import { buildDesiredState, validateDesiredState } from '../../../src/cli/plan/desired-state.ts';
import { formatDiagnostics, parseDocuments, type SourceText } from '../../../src/cli/plan/documents.ts';

function listDiagnostics(...texts: string[]): string[] {
  return diagnose(texts.map((text, at) => ({ name: `${at}.yaml`, text })));
}

function diagnose(sources: readonly SourceText[]): string[] {
  const documents = parseDocuments(sources);
  return formatDiagnostics([
    ...documents.diagnostics,
    ...validateDesiredState(buildDesiredState(documents), documents),
  ]);
}

describe('a diagnostic has file, line and column', () => {
  test.each([
    ['', '0.yaml:1:1: is empty'],
    ['groups: [', '0.yaml:1:10: Flow sequence in block collection must be sufficiently indented'],
    ['groups: 3', '0.yaml:1:9: groups: must be a list'],
    ['- a', '0.yaml:1:1: must be an object of fields'],
    ['users: []', '0.yaml:1:1: unknown field users; use set, groups, clients, apiKeys, corporateGroups, customers'],
    ['groups:\n  - roles: [A]', '0.yaml:2:5: groups: groupName is required'],
    ['groups:\n  - groupName: a\n    groupName: b', '0.yaml:3:5: "groupName" is repeated in its object'],
    [
      'groups:\n  - groupName: a\n    dependencies: [ops]',
      '0.yaml:3:20: dependencies: must be an object, such as {groupName: ..}',
    ],
    ['groups:\n  - groupName: 007', '0.yaml:2:16: a number cannot keep a leading zero; put it in quotes if it is text'],
    ['groups:\n  - groupName: 0x7', '0.yaml:2:16: a number is written as in JSON'],
    [
      'groups:\n  - groupName: 12345678901234567890',
      '0.yaml:2:16: groupName: must be a string: put 12345678901234567890 in',
    ],
    ['groups:\n  - groupName: !id a', '0.yaml:2:16: this tag is unknown'],
    ['groups: &g [{groupName: a, users: *g}]', '0.yaml:1:35: this alias stands for a value that contains it'],
    ['groups:\n  - groupName: 7', '0.yaml:2:16: groupName: must be a string: put 7 in quotes'],
    [
      'groups:\n  - groupName: 0123456789abcdef01234567',
      '0.yaml:2:16: groupName: "0123456789abcdef01234567" is not allowed',
    ],
    ['groups:\n  - groupName: a\n    roles:', '0.yaml:3:11: roles: must be a list'],
    ['groups:\n  - groupName: a\n    roles: [A, ROLE_A]', '0.yaml:3:16: duplicate role A'],
    ['groups:\n  - groupName: a\n    roles: [auth-mfa]', '0.yaml:3:13: auth-mfa differs from the role AUTH-MFA'],
    ['groups:\n  - groupName: a\n    roles: [AUTH-MFA]', '0.yaml:3:13: AUTH-MFA is granted by the service'],
    ['groups:\n  - groupName: a\n    users: [u1, u2, u1]', '0.yaml:3:21: users: duplicate entry "u1"'],
    ['groups:\n  - groupName: a\n  - groupName: a', '0.yaml:3:5: duplicate group a; first in 0.yaml:2'],
    ['clients:\n  - {clientSecret: x, clientId: a}', '0.yaml:2:6: clients: unknown field clientSecret'],
    ['clients:\n  - {appId: a}', '0.yaml:2:5: a client needs a serviceAccountId or a clientId'],
    ['groups:\n  - groupName: me', '0.yaml:2:16: me is a reserved word'],
    ['clients:\n  - {clientId: a, requirePkce: "no"}', '0.yaml:2:32: requirePkce: must be true or false'],
    ['clients:\n  - {clientId: a, idTokenAlg: none}', '0.yaml:2:31: idTokenAlg: must be one of RS256, ES256'],
    ['clients:\n  - {clientId: a, redirectURIs: [invalid]}', '0.yaml:2:34: redirectURIs: "invalid" is not a URI'],
    ['apiKeys:\n  - {appId: a}', '0.yaml:2:5: an API key needs a clientId or a serviceAccountId'],
    ['customers:\n  - {document: "1"}', '0.yaml:2:5: a customer needs a businessName or a userId'],
    [
      'customers:\n  - {document: "1", userId: u, businessName: b}',
      '0.yaml:2:46: a customer with a userId has no businessName',
    ],
    [
      'corporateGroups:\n  - {corporateGroupName: a, businesses: [b]}\n  - {corporateGroupName: c, businesses: [b]}',
      '0.yaml:3:42: the business b is already in a',
    ],
    ['{"groups": [{"groupName": "a", "role": []}]}', '0.yaml:1:32: groups: unknown field role'],
  ])('%j', (text, message) => {
    const found = listDiagnostics(text);
    expect([found.length, found[0]?.slice(0, message.length)]).toEqual([1, message]);
  });

  test('reports all diagnostics of all documents', () => {
    const found = listDiagnostics(
      'groups:\n  - groupName: a\n    roles: [1d, 3]\n  - {}\n',
      'groups:\n  - groupName: a\n---\nclients: no\n',
    );
    expect(found.map((line) => line.split(': ')[0])).toEqual([
      '0.yaml:3:13',
      '0.yaml:3:17',
      '0.yaml:4:5',
      '1.yaml:2:5',
      '1.yaml:4:10',
    ]);
  });

  test('also in JSON, whose positions are found afterwards', () => {
    const first = { name: 'a.json', text: '{"groups": [{"groupName": "a", "roles": ["A", "ROLE_A"]}], "set": "x"}' };
    const second = {
      name: 'b.json',
      text: '{\n  "set": "y",\n  "groups": [\n    {"groupName": 1.0, "role": []},\n    {"groupName": "a"}\n  ]\n}',
    };
    expect(diagnose([first, second, { name: 'c.json', text: '{"groups": [}' }])).toEqual([
      'a.json:1:47: duplicate role A',
      'b.json:2:10: set is y here and x elsewhere',
      'b.json:4:19: groupName: must be a string: put 1.0 in quotes',
      'b.json:4:24: groups: unknown field role; use groupName, organizationId, businessUnitId, roles, dependencies, users, businesses, businessUsers, services',
      'b.json:5:5: duplicate group a; first in a.json:1',
      'c.json:1:13: expected a value or ]',
    ]);
  });

  test('behind an alias', () => {
    expect(listDiagnostics('groups:\n  - groupName: a\n    roles: &r [1]\n  - {groupName: b, roles: *r}')).toEqual([
      '0.yaml:3:16: roles: must be a string: put 1 in quotes',
      '0.yaml:3:16: roles: must be a string: put 1 in quotes',
    ]);
  });

  test('rejects documents of different sets', () => {
    expect(listDiagnostics('set: a', 'set: b')).toEqual(['1.yaml:1:6: set is b here and a elsewhere']);
  });
});

test('accepts anchors, a byte order mark and tabs in JSON', () => {
  expect(
    listDiagnostics('\uFEFFgroups:\n  - groupName: a\n    roles: &r [A]\n  - groupName: b\n    roles: *r\n'),
  ).toEqual([]);
  expect(listDiagnostics('{\n\t"groups": []\n}')).toEqual([]);
});

test('accepts any number of aliases of a value', () => {
  const groups = Array.from({ length: 200 }, (_, at) => `{groupName: g${at}, dependencies: *d}`);
  const text = `groups: [{groupName: g, dependencies: &d [{groupName: a}, {groupName: b}]}, ${groups.join(', ')}]`;
  expect(listDiagnostics(text)).toEqual([]);
});

test('limits the expansion of aliases', () => {
  const levels = Array.from({ length: 40 }, (_, at) => `l${at + 1}: &l${at + 1} [*l${at}, *l${at}]`);
  expect(listDiagnostics(['l0: &l0 [x, x]', ...levels, 'groups: *l40'].join('\n')).length).toBeLessThan(100);
});

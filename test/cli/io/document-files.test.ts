/** The documents of every command: encodings, places of errors, and repeated members, before anything is sent. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { isFullRun } from '../../effort.ts';
import { type Home, test } from '../run-cli.ts';

/** Commands that read a document, `FILE`, without a server. */
const readers = {
  'groups create': ['groups', 'create', '-f', 'FILE', '--dry-run'],
  'groups update': ['groups', 'update', 'ops', '-f', 'FILE', '--dry-run'],
  call: ['call', 'groups.create', '-f', 'FILE', '--dry-run'],
  api: ['api', 'POST', '/x', '-f', 'FILE', '--dry-run'],
  'state seed': ['state', 'seed', 'FILE', '--dry-run'],
  'sandbox create': ['sandbox', 'create', 'one', '--seed', 'FILE', '--dry-run'],
  'import keycloak': ['import', 'keycloak', 'FILE', '--to', 'FILE.out'],
  'import auth0': ['import', 'auth0', 'FILE', '--to', 'FILE.out'],
  plan: ['plan', '-f', 'FILE'],
  apply: ['apply', '-f', 'FILE', '--yes'],
  conformance: ['conformance', '--baseline', 'FILE'],
} as const;

type Reader = keyof typeof readers;
const names = Object.keys(readers) as Reader[];
const url = 'http://127.0.0.1:9';

async function read(home: Home, reader: Reader, name: string, content: string | Buffer) {
  const file = home.file(name);
  await writeFile(file, content);
  const result = await home.iam(
    readers[reader].map((word) => word.replace('FILE', file)),
    { url, variables: { IAM_TOKEN: 'x' } },
  );
  return { ...result, file };
}

/** On one line: the files of Auth0 have one document a line. */
const faults: [what: string, text: string, column: number, reason: string][] = [
  ['a missing comma', '{"roles": ["A" "B"]}', 16, 'expected a comma or ]'],
  ['a comma too many', '{"roles": ["A"],}', 17, 'expected a name in double quotes'],
  ['a comment', '{"roles": [] /* none */}', 14, 'expected a comma or }'],
  ['an end too early', '{"roles": [', 12, 'expected a value or ], and the text ends'],
  ['a repeated member', '{"roles": [], "roles": []}', 15, '"roles" is repeated in its object'],
  ['a member repeated with an escape', '{"roles": [], "r\\u006fles": []}', 15, '"roles" is repeated in its object'],
  ['a member of prototypes', '{"a": {"__proto__": []}}', 8, '__proto__ is not allowed as a name'],
];

/** Of a repeated member of an export, the last one counts, as in the service that wrote it. */
const faultsOf = (reader: Reader) =>
  faults.filter(([what]) => reader !== 'import keycloak' || !/repeated/.test(what)).slice(isFullRun ? 0 : -2);

describe.each(names)('%s', (reader) => {
  test.for(faultsOf(reader))('rejects %s with its place', async ([, text, column, reason], { home }) => {
    const { code, err, file } = await read(home, reader, 'document.json', text);
    expect(code).toBe(2);
    expect(err.replaceAll(/\s+/g, ' ')).toContain(`${file}:1:${column}: ${reason}`);
  });

  test('reads every encoding, and rejects others with the place', async ({ home }) => {
    const text = '{"groupName": "f\u00fcr"}';
    const latin = await read(home, reader, 'latin.json', Buffer.from(text, 'latin1'));
    expect([latin.code, latin.err]).toEqual([
      2,
      expect.stringContaining(`Cannot read ${latin.file}: it is not valid UTF-8 (line 1, column 17).`),
    ]);
    const plain = await read(home, reader, 'document.json', text);
    for (const encoded of [Buffer.from(`\uFEFF${text}\r\n`), Buffer.from(`\uFEFF${text}\r\n`, 'utf16le')]) {
      const { code, out, err } = await read(home, reader, 'document.json', encoded);
      expect([code, out, err]).toEqual([plain.code, plain.out, plain.err]);
    }
  });
});

describe('YAML', () => {
  test.for([
    ['roles: [A\n', 2, 1],
    ['groupName: a\ngroupName: b\n', 2, 1],
    ['1: a\n"1": b\n', 2, 1],
    ['groupName: "a\n', 2, 1],
    ['a: 1\n---\nb: 2\n', 2, 1],
  ] as const)('%j is rejected at line %i, column %i', async ([text, line, column], { home }) => {
    const { code, err, file } = await read(home, 'api', 'document.yaml', text);
    expect([code, err]).toEqual([2, expect.stringContaining(`${file}:${line}:${column}: `)]);
    expect(err.split('\n')[0]).not.toMatch(/ at line /);
  });

  test('may begin like JSON', async ({ home }) => {
    expect((await read(home, 'api', 'document.yaml', '{groupName: ops, roles: [A,]}')).code).toBe(0);
  });
});

describe.each([
  ['config.json', path.join('config', 'iam', 'config.json'), '{\n"profiles": {"a": {"baseUrl": "http://127.0.0.1"}}'],
  ['.iamrc.json', '.iamrc.json', '{\n"output": "json"'],
])('%s', (_, name, start) => {
  test.for([
    ['}', undefined],
    ['', 'expected a comma or }, and the text ends'],
    [',}', 'expected a name in double quotes'],
    [',"x":1,"x":2}', '"x" is repeated in its object'],
    [',"x":1,"\\u0078":2}', '"x" is repeated in its object'],
    [',"__proto__":{}}', '__proto__ is not allowed as a name'],
    ['}}', 'expected the end of the text'],
  ])('that ends with %j', async ([end, reason], { home }) => {
    const file = home.file(name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    for (const encoding of ['utf8', 'utf16le'] as const) {
      await writeFile(file, Buffer.from(`\uFEFF${start}${end}`, encoding));
      const { code, err } = await home.iam(['profile', 'list'], { folder: home.folder });
      expect(code).toBe(reason === undefined ? 0 : 2);
      if (reason !== undefined) expect(err).toMatch(new RegExp(`^error: \\S+${path.basename(file)}:2:\\d+: ${reason}`));
    }
  });
});

describe('a secret', () => {
  const create = ['profile', 'add', 'one', '--base-url', 'http://127.0.0.1', '--client-id', 'c', '--secret-file'];

  test.for([
    ['secret\r\n', 0],
    ['secret', 0],
    ['one\ntwo\n', 2],
    ['secret\n\n', 2],
    ['\n', 2],
    ['\uFEFF\uFEFFsecret', 2],
  ] as const)('%j from a file and from standard input ends with %i', async ([text, code], { home }) => {
    await writeFile(home.file('secret'), Buffer.from(`\uFEFF${text}`, 'utf16le'));
    expect((await home.iam([...create, home.file('secret')])).code).toBe(code);
    expect((await home.iam([...create, '-', '--replace'], { stdin: text })).code).toBe(code);
  });
});

import { writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { parse } from 'yaml';
import {
  escapeControls,
  escapeHidden,
  escapeLines,
  hasControls,
  jsonText,
} from '../../../src/cli/io/control-characters.ts';
import type { Question } from '../../../src/cli/io/prompter.ts';
import { formatYaml } from '../../../src/cli/io/yaml.ts';
import { entityName } from '../../../src/cli/output/format.ts';
import { escapeInText } from '../../../src/contract/visible-names.ts';
import { errorResponse, startFakeServer } from '../../client/fake-server.ts';
import { rounds } from '../../effort.ts';
import { createScriptedPrompter } from '../prompts/scripted-prompter.ts';
import { iam, test, tokenVariables } from '../run-cli.ts';

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at));
const letters = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  // Not displayed: soft hyphen, joiners, fillers, selectors of variants, blank Braille pattern, annotations.
  ...['\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u3164', '\ufeff', '\uffa0', '\u2800'],
  ...range(0x180b, 0x180f),
  // Spaces that look like U+0020.
  ...['\u00a0', '\u1680', '\u205f'],
  ...range(0x2000, 0x200f),
  ...range(0x2028, 0x202f),
  ...range(0x2060, 0x206f),
  ...range(0xfe00, 0xfe0f),
  ...range(0xfff0, 0xfffb),
  // No characters, and the one in place of bytes that could not be read.
  ...range(0xfdd0, 0xfdef),
  ...range(0xfffd, 0xffff),
];
/** A letter of a flag's tag: two code units. */
const tag = '\u{e0041}';
/** None of these may be printed; line breaks are structure. */
const steering =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be printed
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u2028-\u202e\u2800\u3164\ufff0-\ufffb\p{Default_Ignorable_Code_Point}]/u;
const evil = `a${letters.join('')}${tag}b`;

describe('control characters', () => {
  test('are exactly these, and other text is unchanged', () => {
    const all = range(0, 0xd7ff).concat(range(0xe000, 0xffff), '😀');
    expect(all.filter((letter) => escapeControls(letter) !== letter)).toEqual(letters.toSorted());
    expect(all.filter((letter) => hasControls(letter))).toEqual(
      letters.filter((letter) => letter !== '\n' && letter !== '\t').toSorted(),
    );
  });

  test('become visible escapes; multi-line text keeps line breaks and tabs', () => {
    expect(escapeControls('a\u001b\u009b\u202e\n\r\t')).toBe(String.raw`a\u001b\u009b\u202e\n\r\t`);
    expect(escapeControls(`a${tag}`)).toBe(String.raw`a\udb40\udc41`);
  });

  test('letters that look like others are visible within a word of Latin letters only', () => {
    expect(escapeControls('\u0430dmin, \u043e\u0440s_1, ops\uff41')).toBe(
      String.raw`\u0430dmin, \u043e\u0440s_1, ops\uff41`,
    );
    for (const text of ['Администратор', 'Ελλάδα-admins', 'Ж ops', '\uff4f\uff50\uff53', 'Gruppe Ä ö', '管理者a'])
      expect(escapeControls(text)).toBe(text);
    expect(escapeHidden('\u0430dmin\n')).toBe('\u0430dmin\\n');
    expect(entityName({ groupName: '\u0430dmin' })).toBe('\u0430dmin');
    expect(escapeLines('a\r\n\tb')).toBe('a\\r\n\\tb');
    expect(escapeInText('a\r\n\tb')).toBe('a\\u000d\n\tb');
  });

  const value = fc.jsonValue({ stringUnit: fc.oneof(fc.constantFrom(...letters, '\\', '"', '\ud800'), fc.string()) });

  test('are escaped in JSON with the same value', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2), (sample, indent) => {
        const text = jsonText(sample, indent);
        expect(text).not.toMatch(steering);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(sample)));
      }),
    );
  });

  test('are escaped in YAML with the same value, also in keys and long text', () => {
    const units = fc.constantFrom(...letters, 'a', ' ', ':', '#', '-', '"', '\\', 'x'.repeat(50));
    const text = fc.string({ unit: units, maxLength: 30 });
    fc.assert(
      fc.property(fc.oneof(text, fc.array(text), fc.dictionary(text, fc.oneof(text, fc.array(text)))), (sample) => {
        const written = formatYaml(sample);
        expect(written.replaceAll('\t', '')).not.toMatch(steering);
        expect(parse(written)).toEqual(sample);
        expect(parse(formatYaml(sample, { lineWidth: 0, aliasDuplicateObjects: false }))).toEqual(sample);
      }),
      { numRuns: rounds(500) },
    );
  });
});

test('domains of addresses are shown in Unicode to people, and as they are stored to programs', async () => {
  const [shown, stored] = ['jürgen@bücher.de', 'jürgen@xn--bcher-kva.de'];
  expect(escapeControls(`to ${stored}`)).toBe(`to ${shown}`);
  expect([escapeHidden(stored), jsonText(stored)]).toEqual([stored, JSON.stringify(stored)]);
  const user = { userId: 'u', userName: stored, nameVerified: true, userEmail: stored, lead: false, locked: false };
  await using server = await startFakeServer(({ path }) => ({ json: path.includes('/_iam/users/') ? user : [user] }));
  for (const [format, text] of Object.entries({
    table: shown,
    wide: shown,
    json: stored,
    jsonl: stored,
    yaml: stored,
    csv: stored,
  })) {
    const { out } = await iam(['users', 'list', '-o', format], { ...server, columns: 120 });
    expect([format, out]).toEqual([format, expect.stringContaining(text)]);
    expect(out).not.toContain(text === shown ? stored : shown);
  }
});

describe('text from the server', () => {
  const formats = ['table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'name'];
  const group = {
    groupId: 'g',
    groupName: evil,
    roles: [evil, 'B'],
    dependencies: [{ groupName: `x${evil}` }],
    // A key of YAML is at most 1024 characters long with its escapes.
    [`key${evil.slice(-150)}`]: { deep: [{ a: evil, b: 1 }] },
  };

  test.each(formats)('cannot control the terminal as %s', async (format) => {
    await using server = await startFakeServer(({ path }) => {
      if (path.includes('missing'))
        return {
          status: 422,
          json: [
            { code: 'X', message: evil },
            { code: evil, message: evil },
          ],
        };
      if (path.endsWith('/text')) return { text: evil, headers: { 'content-type': 'text/plain' } };
      if (path.includes('/_iam/state/export')) return { json: { formatVersion: 1, tables: { [evil]: [group] } } };
      if (path.includes('/_iam/state/diff'))
        return {
          json: {
            tables: [{ table: evil, added: [evil], removed: [evil], changed: [{ key: evil, fields: [] }] }],
            objects: [
              {
                entity: evil,
                id: evil,
                name: evil,
                action: evil,
                fields: [{ field: evil, before: [evil], after: evil }],
              },
            ],
            internals: [{ table: evil, created: 1 }],
            names: [],
          },
        };
      return { json: path.includes('/groups/') ? group : [group, group] };
    });
    const runs = [
      ['groups', 'list'],
      ['groups', 'get', 'x'],
      ['groups', 'get', 'missing'],
      ['groups', 'get', 'missing', '--debug'],
      ['groups', 'tree'],
      ['groups', 'list', '--query', '[].groupName'],
      ['groups', 'get', 'x', '--query', 'groupName'],
      ['groups', 'create', '--group-name', evil.replace('\u0000', ''), '--dry-run'],
      ['api', 'GET', '/text'],
      ['state', 'export'],
      ['state', 'diff'],
      ['users', 'list'],
    ];
    for (const words of runs) {
      const { out, err } = await iam([...words, '-o', format, '--color', 'never'], { ...server, columns: 80 });
      // CSV and YAML keep tabs to preserve values.
      const text = format === 'csv' || format === 'yaml' ? out.replaceAll('\t', '') : out;
      expect([words, text]).not.toEqual([words, expect.stringMatching(steering)]);
      expect([words, err]).not.toEqual([words, expect.stringMatching(steering)]);
      expect(out + err).not.toBe('');
    }
  });

  test('has the same value after parsing JSON and YAML', async () => {
    await using server = await startFakeServer(() => ({ json: group }));
    const read = async (format: string) => (await iam(['groups', 'get', 'x', '-o', format], server)).out;
    expect(JSON.parse(await read('json'))).toEqual(group);
    expect(JSON.parse(await read('jsonl'))).toEqual(group);
    expect(parse(await read('yaml'))).toEqual(group);
  });

  test('cannot control the terminal from a header in debug output', async () => {
    await using server = await startFakeServer(() => ({ json: [], headers: { 'x-request-id': 'r\u009b31m' } }));
    const { err } = await iam(['groups', 'list', '--verbose'], server);
    expect(err).toContain(String.raw`request r\u009b31m`);
    await using refusing = await startFakeServer(() => ({
      ...errorResponse(404, 'X'),
      headers: { 'x-request-id': 'r\u009b31m' },
    }));
    for (const words of [[], ['-o', 'json']])
      expect((await iam(['groups', 'get', 'x', ...words], refusing)).err).not.toMatch(steering);
  });

  test('cannot control the terminal in a prompt or its choices', async () => {
    await using server = await startFakeServer(() => ({
      json: [{ groupId: 'g', groupName: evil, organizationId: evil }],
    }));
    const { prompter, questions } = createScriptedPrompter('x');
    await iam(['groups', 'get'], { ...server, columns: 80, prompter });
    await iam(['groups', 'delete', `x${evil}`], { ...server, columns: 80, prompter });
    await iam(['login', '--user', evil, '--client-id', 'app'], { ...server, columns: 80, prompter, variables: {} });
    const namesIn = async (question: Question) => {
      if (question.type !== 'search') return [];
      return (await question.source('', { signal: new AbortController().signal })).map(({ name }) => name);
    };
    const texts = [...questions.map(({ message }) => message), ...(await Promise.all(questions.map(namesIn))).flat()];
    expect(texts).toContainEqual(expect.stringContaining('Password of a'));
    expect(texts.join('')).not.toMatch(steering);
  });
});

test('names of profiles, files and projects cannot control the terminal', async ({ home }) => {
  const name = `x${evil.replace('\u0000', '')}`;
  const runs = [
    ['groups', 'list', '--profile', name],
    ['profile', 'use', name],
    ['profile', 'show', name],
    ['groups', 'create', '-f', name],
    ['bulk', 'run', name, '--operation', 'groups.create'],
    ['call', name],
    [name],
    ['groups', 'list', `--${name}`],
    ['groups', 'list', '-o', name],
    ['groups', 'list', '--query', name],
  ];
  for (const words of runs)
    for (const more of [[], ['-o', 'json']]) {
      const { code, err } = await home.iam([...words, ...more], { variables: tokenVariables });
      expect([words, code]).not.toEqual([words, 0]);
      expect([words, err]).not.toEqual([words, expect.stringMatching(steering)]);
    }
  await writeFile(home.file('.iamrc.json'), JSON.stringify({ [name]: 1 }));
  const { err } = await home.iam(['config', 'explain'], { folder: home.folder });
  expect(err).toContain('which is ignored');
  expect(err).not.toMatch(steering);
});

test('a base URL with control characters is rejected from every source', async ({ home }) => {
  await using server = await startFakeServer(() => ({ json: [] }));
  const runs = [
    ['env'],
    ['env', '--shell', 'fish'],
    ['groups', 'create', '--group-name', 'x', '--dry-run', '--curl'],
    ['api', 'POST', '/groups', '--dry-run', '--curl'],
    ['login', '--user', 'ann', '--client-id', 'app'],
  ];
  for (const part of ['\u001b]0;x\u0007', '\u202e', '\u009b31m', '\n', '\t']) {
    const baseUrl = `${server.url}/${part}x`;
    await writeFile(home.file('.iamrc.json'), JSON.stringify({ baseUrl }));
    for (const words of runs)
      for (const runOptions of [
        { folder: home.folder, variables: {} },
        { url: baseUrl, variables: {} },
      ]) {
        const { code, out, err } = await home.iam(words, runOptions);
        expect({ words, code, out }).toEqual({ words, code: 2, out: '' });
        expect(err).not.toMatch(steering);
      }
  }
  expect(server.received).toEqual([]);
});

test('a curl command cannot control the terminal', async () => {
  await using server = await startFakeServer(() => ({ json: {} }));
  const words = ['api', 'POST', `/x${['\u001b', '\u202e', '\u009b'].join('')}`, '--dry-run', '--curl'];
  const { code, err } = await iam(words, server);
  expect(code).toBe(0);
  expect(err).toContain('curl -X POST');
  expect(err).not.toMatch(steering);
});

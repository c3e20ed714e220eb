import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { describe, expect } from 'vitest';
import { commandPath } from '../../../src/cli/command.ts';
import { isRepeatable } from '../../../src/cli/completion/position.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { iam, test } from '../run-cli.ts';
import { listBashCompletions, listCompletions } from './complete.ts';

const signal = new AbortController().signal;
const { stdin, stdout, stderr } = process;
const io = { stdin, stdout, stderr, signal, releaseSignals: () => undefined };
const program = await buildProgram(io, { variables: {}, now: () => 0, random: () => 0 }, { manifest });
const below = (command: Command): Command[] => command.commands.flatMap((one) => [one, ...below(one)]);
const all = [program, ...below(program)].map((command) => ({
  command,
  words: commandPath(command).split(' ').slice(1),
}));
const nouns = all.filter(({ command }) => command.commands.length > 0);

describe('every command', () => {
  test('is offered with its summary', async () => {
    expect(nouns.length).toBeGreaterThan(20);
    for (const { command, words } of nouns) {
      const { kind, values, texts } = await listCompletions([...words, '']);
      const names = command.commands.map((one) => one.name());
      expect([words, kind, values]).toEqual([words, 'values', expect.arrayContaining(names)]);
      expect(names.filter((name) => !texts[name])).toEqual([]);
    }
  });

  test('is offered by alias if only the alias matches', async () => {
    for (const { command, words } of nouns)
      for (const one of command.commands)
        for (const alias of one.aliases()) {
          const { values } = await listCompletions([...words, alias]);
          expect([words, alias, values.some((value) => value.startsWith(alias))]).toEqual([words, alias, true]);
        }
  });

  test('is found by its aliases', async () => {
    expect(await listCompletions(['group', 'user', ''])).toEqual(await listCompletions(['groups', 'users', '']));
  });

  test('offers each of its options, and used ones only if repeatable', async () => {
    for (const { command, words } of all) {
      const longs = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? '');
      const { values, texts } = await listCompletions([...words, '--']);
      expect([words, values]).toEqual([words, expect.arrayContaining([...longs, '--help'])]);
      const described = command.options.filter(({ description }) => description !== '');
      expect([words, described.filter(({ long = '' }) => !texts[long])]).toEqual([words, []]);
      expect(new Set(values).size).toBe(values.length);
    }
  });

  test('offers the choices of each option, as the next word and after =', async () => {
    const chosen = all.flatMap(({ command, words }) =>
      command.options.filter(({ argChoices }) => argChoices).map((option) => ({ option, words })),
    );
    const seen = new Map(chosen.map((one) => [`${one.option.long} ${one.option.argChoices}`, one]));
    expect(seen.size).toBeGreaterThan(8);
    for (const { option, words } of seen.values()) {
      const { long = '', argChoices = [] } = option;
      expect((await listCompletions([...words, long, ''])).values).toEqual(argChoices);
      expect((await listCompletions([...words, `${long}=`])).values).toEqual(
        argChoices.map((choice) => `${long}=${choice}`),
      );
    }
  });

  test('does not include the hidden command', async () => {
    expect((await listCompletions(['_'])).values.filter((value) => value.startsWith('_'))).toEqual([]);
    expect((await iam(['--help'])).out).not.toContain('__complete');
  });
});

describe('options', () => {
  const remainingOptions = async (...words: string[]) => (await listCompletions([...words, '--'])).values;

  test('are not offered again in any spelling', async () => {
    const repeated = (await remainingOptions('groups', 'create', '--role', 'A')).includes('--role');
    expect(repeated).toBe(true);
    for (const spelling of [['--output', 'json'], ['--output=json'], ['-o', 'json'], ['-ojson'], ['-qo', 'json']])
      expect(await remainingOptions('groups', 'list', ...spelling)).not.toContain('--output');
    expect(await remainingOptions('-o', 'json', 'groups', 'list')).not.toContain('--output');
    expect(await remainingOptions('groups', 'list', '--no-input')).not.toContain('--no-input');
  });

  test('are repeatable if their values are collected', () => {
    const repeating = all
      .find(({ words }) => words.join(' ') === 'groups create')
      ?.command.options.filter(isRepeatable)
      .map(({ long }) => long);
    expect(repeating).toEqual(['--role', '--dependency', '--set', '--set-json', '--set-file', '--trust-folder']);
  });

  test('are offered if a command accepts nothing else', async () => {
    expect((await listCompletions(['groups', 'list', ''])).values).toContain('--limit');
  });

  test('are plain words after two dashes', async () => {
    expect((await listCompletions(['groups', 'get', '--', '-'])).values).toEqual([]);
    expect((await listCompletions(['groups', 'list', '--', '-'])).values).toEqual([]);
  });

  test('in short form are completed as they are', async () => {
    expect(await listBashCompletions('iam groups list -o')).toEqual(['-o']);
  });

  test('with an optional value do not consume the next option', async () => {
    expect((await listCompletions(['users', 'create', '--email-verified', '--'])).values).toContain('--user-name');
  });
});

describe('local values', () => {
  const values = async (...words: string[]) => (await listCompletions(words)).values;

  test('are operations, shells, settings, methods, topics and commands', async () => {
    const ids = manifest.operations.map(({ id }) => id);
    expect(await values('call', '')).toEqual(ids);
    const both = await values('bulk', 'run', 'rows.csv', '--operation', '');
    expect(both).toEqual(expect.arrayContaining([...ids, 'users.create', 'groups.users.add']));
    expect(new Set(both).size).toBe(both.length);
    expect(await values('completion', '')).toEqual(['bash', 'fish', 'zsh']);
    expect(await values('config', 'explain', '')).toContain('client-secret');
    expect(await values('config', 'set', '')).toContain('base-url');
    expect(await values('config', 'set', '')).not.toContain('client-secret');
    expect(await values('api', '')).toContain('DELETE');
    expect(await values('api', 'get', '')).toContain('/groups');
    expect(await values('help', '')).toEqual(expect.arrayContaining(['exit-codes', 'groups']));
    expect(await values('help', 'groups', 'users', '')).toEqual(['add', 'list', 'remove']);
  });

  test('are the commands of operations if no id matches, and their next words', async () => {
    expect(await values('call', 'users.')).toEqual(expect.arrayContaining(['users.create', 'users.factors.add']));
    expect(await values('faults', 'add', '--operation', 'users.l')).toContain('users.lock');
    expect(await values('call', 'users', '')).toEqual(expect.arrayContaining(['create', 'factors', 'lock']));
    expect(await values('call', 'users', 'factors', '')).toEqual(['add', 'remove', 'update']);
    expect((await listCompletions(['call', 'groups', 'get', '--param', ''])).values).toEqual(['groupId=']);
  });

  test('of explain are operations, error codes, roles and the fields of an operation', async () => {
    expect(await values('explain', 'groups.c')).toContain('groups.create');
    expect(await values('explain', 'GROUP_')).toEqual(expect.arrayContaining(['GROUP_IN_USE', 'GROUP_NAME_TAKEN']));
    expect(await values('explain', 'IAM_')).toContain('IAM_ADMIN_READ_ONLY');
    expect(await values('explain', 'groups.create.ro')).toContain('groups.create.roles');
    expect(await values('explain', 'users', 'cr')).toContain('create');
  });

  test('are fields with their values', async () => {
    expect(await listCompletions(['call', 'groups.get', '--param', ''])).toMatchObject({
      kind: 'open',
      values: ['groupId='],
    });
    expect(await values('groups', 'create', '--set', 'groupN')).toContain('groupName=');
    expect(await values('groups', 'update', 'ops', '--set', '')).toContain('organizationId=');
    expect(await values('call', 'nothing.there', '--param', 'a=')).toEqual([]);
  });

  test('continue after a comma, each once', async () => {
    expect(await values('export', '--kind', 'groups,')).toEqual(
      ['clients', 'apiKeys', 'corporateGroups', 'customers'].map((kind) => `groups,${kind}`),
    );
    expect(await values('groups', 'list', '--columns', 'roles,groupN')).toContain('roles,groupName');
  });

  test('are files, completed by the shell', async () => {
    const takers = all.flatMap(({ command, words }) =>
      command.options.filter(({ flags }) => /<(file|folder)/.test(flags)).map(({ long = '' }) => ({ words, long })),
    );
    const taking = new Map(takers.map(({ words, long }) => [long, [...words, long, '']]));
    expect(taking.size).toBeGreaterThan(8);
    for (const words of taking.values()) expect([words, (await listCompletions(words)).kind]).toEqual([words, 'files']);
    for (const words of [
      ['serve', '--data', ''],
      ['serve', '--seed', ''],
      ['bulk', 'run', ''],
      ['bulk', 'retry', 'a', ''],
      ['apply', ''],
      ['state', 'import', ''],
      ['apply', '-f', 'a.yaml', ''],
      ['groups', 'create', '--file=x'],
    ])
      expect(await listCompletions(words)).toMatchObject({ kind: 'files', values: [] });
  });

  test('are profiles with their URLs, and none for a new profile', async ({ home }) => {
    const folder = path.join(home.folder, 'config', 'iam');
    await mkdir(folder, { recursive: true });
    const profiles = { here: { baseUrl: 'http://a:pass@127.0.0.1:1' }, 'two words': { baseUrl: 'http://b' } };
    await writeFile(path.join(folder, 'config.json'), JSON.stringify({ profiles }));
    const { variables } = home;
    const { texts } = await listCompletions(['profile', 'use', ''], { variables });
    expect(Object.keys(texts)).toEqual(['here', 'two words']);
    expect(texts.here).not.toContain('pass');
    expect((await listCompletions(['groups', 'list', '--profile', ''], { variables })).values).toEqual([
      'here',
      'two words',
    ]);
    expect((await listCompletions(['profile', 'add', ''], { variables })).values).toEqual([]);
  });

  test('are empty after an unknown command and for free text', async () => {
    expect(await listCompletions(['grups', ''])).toEqual({ kind: 'values', values: [], texts: {} });
    expect(await listCompletions(['groups', 'nothing', ''])).toEqual({ kind: 'values', values: [], texts: {} });
    expect(await values('groups', 'list', '--query', '')).toEqual([]);
    expect(await values('groups', 'list', '--query', '-')).toEqual([]);
  });
});

describe('the hidden command', () => {
  test.each([[[]], [['--']], [['bash']], [['bash', ' ']], [['bash', ' ', 'iam "']], [['fish']], [['--', '--', '--=']]])(
    'exits with 0 and prints nothing on standard error for any arguments: %j',
    async (words) => {
      expect(await iam(['__complete', ...words])).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringMatching(/^values\n/),
      });
    },
  );

  test('ignores invalid files', async ({ home }) => {
    const folder = path.join(home.folder, 'config', 'iam');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'config.json'), '{');
    for (const words of [
      ['profile', 'use', ''],
      ['groups', 'get', ''],
    ])
      expect(await home.iam(['__complete', '--', ...words])).toEqual({ code: 0, out: 'values\n', err: '' });
  });
});

describe('completion', () => {
  test.each(['bash', 'zsh', 'fish'])('prints the script for %s, and how to install it', async (shell) => {
    const script = await iam(['completion', shell]);
    expect(script).toMatchObject({ code: 0, err: '' });
    expect(script.out).toContain('__complete');
    const { out } = await iam(['completion', shell, '--help']);
    expect(out).toMatch(
      new RegExp(
        `# Enable it in the current session\n {2}.*iam completion ${shell}.*\n {2}# Enable it permanently\n {2}.*iam completion ${shell}`,
      ),
    );
  });
});

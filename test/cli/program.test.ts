import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { commandPath, varyingRoles } from '../../src/cli/command.ts';
import { updatableResources } from '../../src/cli/commands/update/resources.ts';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { sourcesOf } from '../../src/cli/prompts/value-sources.ts';
import { commandGroups } from '../../src/cli/registry.ts';
import { ClearableOption, toSingular } from '../../src/cli/request/field-options.ts';
import { canGrant } from '../../src/cli/request/grants/role-grants.ts';
import { commands } from '../../src/cli/suggestions.ts';
import { manifest } from '../../src/contract/manifest.ts';
import { parseRoles } from '../../src/contract/roles.ts';
import { startFakeServer } from '../client/fake-server.ts';
import { isFullRun } from '../effort.ts';
import { looksSecret } from '../secret-names.ts';
import { iam } from './run-cli.ts';

const noopStream = () => new Writable({ write: (_, __, done) => done() });
const io = {
  stdin: process.stdin,
  stdout: noopStream(),
  stderr: noopStream(),
  signal: new AbortController().signal,
  releaseSignals: () => undefined,
};

function build(words?: readonly string[]): Promise<Command> {
  return buildProgram(io, { variables: {}, now: () => 0, random: () => 0 }, { manifest, ...(words ? { words } : {}) });
}

/** Commands with an action. `iam keys` is an operation and has a subcommand. */
function leaves(command: Command): Command[] {
  return command.commands.flatMap((below) => [
    ...(below.commands.length === 0 || below.options.length > 0 ? [below] : []),
    ...leaves(below),
  ]);
}

const all = leaves(await build());
const byWords = new Map(all.map((command) => [commandPath(command), command]));

describe('every command', () => {
  test.each(manifest.operations.filter(({ command }) => command !== undefined))(
    'of the operation $id exists',
    (operation) => {
      const command = byWords.get(`iam ${operation.command}`);
      const flags = command?.options.filter(({ hidden }) => !hidden).map(({ long }) => long) ?? [];
      expect(command?.registeredArguments.filter(({ required }) => required)).toHaveLength(operation.params.length);
      if (operation.effect !== 'read') expect(flags).toContain('--dry-run');
      // An update asks if it empties a list.
      const updates = updatableResources.some(({ write }) => write === operation.id);
      const asks = operation.effect === 'destructive' || updates || canGrant(operation);
      expect(flags.includes('--yes')).toBe(asks);
    },
  );

  test.each(all.filter((command) => command.name() !== 'help').map((command) => [commandPath(command)]))(
    '%s has help with an example',
    async (words) => {
      const outcome = await iam([...words.split(' ').slice(1), '--help']);
      expect(outcome).toMatchObject({ code: 0, err: '' });
      expect(outcome.out).toMatch(/Examples:\n {2}# .+\n {2}iam /);
      expect(Math.max(...outcome.out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    },
  );

  test('rejects each empty argument by its name before any request', async () => {
    await using server = await startFakeServer(() => ({ status: 204 }));
    const cases = all.flatMap((command) =>
      command.registeredArguments.map((argument, at, { length }) => ({
        words: [
          ...commandPath(command).split(' ').slice(1),
          ...Array.from({ length }, (_, one) => (one === at ? '' : 'x')),
        ],
        usage: argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
      })),
    );
    expect(cases.length).toBeGreaterThan(80);
    for (const { words, usage } of cases.filter(
      ({ words: [first, second] }) => `${first} ${second}` !== 'config set',
    )) {
      const { code, out, err } = await iam(words, server);
      expect({ words, code, out, err }).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining(`${usage} is empty`),
      });
      expect(err).toContain('shell variable');
    }
    expect(server.received).toEqual([]);
    const second = await iam(['groups', 'users', 'add', 'ops', 'u1', '', '-o', 'json'], server);
    expect(JSON.parse(second.err).error).toMatchObject({ code: 'USAGE', hint: expect.stringContaining('unset') });
    expect((await iam(['config', 'set', '', 'x'], server)).err).toContain('<key> is empty');
  });

  test('rejects an empty name of an entity in an option, unless it clears a field', async () => {
    await using server = await startFakeServer(() => ({ status: 204 }));
    const cases = all.flatMap((command) =>
      command.options
        .filter(({ long }) => sourcesOf(command, long ?? '').length > 0)
        .filter((option) => !(option instanceof ClearableOption))
        .map(({ long = '' }) => [
          ...commandPath(command).split(' ').slice(1),
          ...command.registeredArguments.map(() => 'x'),
          ...[long, ''],
        ]),
    );
    expect(cases.length).toBeGreaterThan(20);
    for (const words of cases) {
      const { code, err } = await iam(words, server);
      expect({ words, code, err }).toMatchObject({ code: 2, err: expect.stringMatching(/empty|""/) });
    }
    expect(server.received).toEqual([]);
  });

  test('has examples whose options exist', () => {
    const known = new Map(
      all.map((command) => [
        commandPath(command),
        new Set(command.options.flatMap(({ long, short }) => [long, short])),
      ]),
    );
    for (const { command, examples } of manifest.operations)
      for (const example of command === undefined ? [] : examples)
        for (const [flag] of example.command.matchAll(/(?<=^|\s)--?[a-z][a-z.-]*/g))
          expect([...(known.get(`iam ${command}`) ?? [])]).toContain(flag);
  });

  test('accepts no secret as an option value', () => {
    /** Takes a number. */
    const length = '--max-token';
    for (const command of all)
      for (const option of command.options.filter(({ required, long }) => required && long !== length))
        expect([commandPath(command), option.long, looksSecret(option.attributeName())]).toEqual([
          commandPath(command),
          option.long,
          false,
        ]);
  });

  test('has a unique name', async () => {
    const check = (command: Command): void => {
      const names = command.commands.flatMap((below) => [below.name(), ...below.aliases()]);
      expect([commandPath(command), names.filter((name, at) => names.indexOf(name) !== at)]).toEqual([
        commandPath(command),
        [],
      ]);
      for (const below of command.commands) check(below);
    };
    check(await build());
  });
});

test('builds only the requested commands', async () => {
  const program = await build(['group', 'list']);
  const counts = Object.fromEntries(program.commands.map((command) => [command.name(), command.commands.length]));
  expect(counts.groups).toBeGreaterThan(5);
  expect(counts).toMatchObject({ 'api-key': 0, profile: 0, clients: 0 });
  const groups = program.commands.find((command) => command.name() === 'groups');
  const options = Object.fromEntries(groups?.commands.map((command) => [command.name(), command.options.length]) ?? []);
  expect(options.list).toBeGreaterThan(5);
  expect(options).toMatchObject({ get: 0, create: 0, delete: 0 });
});

test('a partially built program has the same help as the full one', async () => {
  const list = (command: Command): Command[] => [command, ...command.commands.flatMap(list)];
  for (const whole of list(await build()).filter(({ commands }) => commands.length > 0 || isFullRun)) {
    const words = commandPath(whole).split(' ').slice(1);
    const part = words.reduce<Command | undefined>(
      (above, word) => above?.commands.find((command) => command.name() === word),
      await build(words),
    );
    expect(part?.helpInformation()).toBe(whole.helpInformation());
  }
});

test.each([
  ['roles', 'role'],
  ['dependencies', 'dependency'],
  ['businesses', 'business'],
  ['scope', 'scope'],
  ['address', 'address'],
  ['groups', 'group'],
])('the singular of %s is %s', (many, one) => {
  expect(toSingular(many)).toBe(one);
});

describe('help', () => {
  test('exit-codes contains the whole table', async () => {
    const { out } = await iam(['help', 'exit-codes']);
    for (const { code, meaning } of exitCodes) expect(out).toContain(`${String(code).padStart(5)}  ${meaning}`);
  });

  test.each([
    ['exit-codes', '130'],
    ['environment', 'IAM_CLIENT_SECRET'],
    ['output', 'jsonl'],
    ['groups', 'Commands:'],
  ])('on %s contains %s', async (topic, text) => {
    const { out } = await iam(['help', topic]);
    expect(out).toContain(text);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('is printed by the bare command', async () => {
    const outcome = await iam([]);
    expect(outcome).toMatchObject({ code: 0, err: '' });
    expect(outcome.out).toBe((await iam(['--help'])).out);
  });

  test.each(['nothing', 'constructor', 'toString', '__proto__'])('rejects the unknown topic %s', async (topic) => {
    const err = expect.stringContaining(`Unknown help topic "${topic}".`);
    expect(await iam(['help', topic])).toMatchObject({ code: 2, out: '', err });
  });

  test('suggests the closest topic', async () => {
    expect(await iam(['help', 'exit-code'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean exit-codes?'),
    });
  });
});

describe('the catalogue', () => {
  interface Entry {
    readonly command: string;
    readonly operation?: string;
    readonly effect: string;
    readonly idempotent: boolean;
    readonly roles: string;
    readonly examples: readonly string[];
  }
  const catalogue = async () => JSON.parse((await iam(['commands', '--json'])).out) as Entry[];

  test('contains the registry data of each operation', async () => {
    const entries = new Map(
      (await catalogue()).flatMap((entry) => (entry.operation ? [[entry.operation, entry]] : [])),
    );
    expect([...entries.keys()].sort()).toEqual(manifest.operations.map(({ id }) => id).sort());
    for (const { id, effect, idempotent, roles } of manifest.operations)
      expect(entries.get(id)).toMatchObject({ effect, idempotent, roles });
  });

  test('is sorted like help, and prints command, operation and effect as a table', async () => {
    const entries = await catalogue();
    const top = (await build()).commands.map((command) => command.name());
    const keys = entries.map(({ command }) => [top.indexOf(command.split(' ')[0] ?? ''), command] as const);
    expect(keys).toEqual([...keys].sort(([a, one], [b, other]) => a - b || (one < other ? -1 : 1)));
    const { out } = await iam(['commands'], { columns: 80 });
    const [heading = '', ...lines] = out.trimEnd().split('\n');
    expect(heading.trim().split(/ {2,}/)).toEqual(['COMMAND', 'OPERATION', 'EFFECT']);
    expect(lines).toHaveLength(entries.length);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines).toContainEqual(expect.stringMatching(/^groups delete +groups\.remove +destr…$/));
    for (const { id } of manifest.operations) expect(lines.some((line) => line.split(/ {2,}/)[1] === id)).toBe(true);
    expect(lines).toContainEqual(expect.stringMatching(/^call OPERATION +user-identities\.retrieve +write$/));
    expect(lines).toContainEqual(expect.stringMatching(/^doctor +read$/));
    expect((await iam(['commands', '--columns', 'command,roles', '-o', 'csv'])).out).toContain(
      'call user-identities.retrieve,',
    );
  });

  test('has every command, with an effect that matches its options', async () => {
    const entries = await catalogue();
    for (const [words, command] of byWords) {
      if (command.name() === 'help') continue;
      const entry = entries.find((one) => `iam ${one.command}` === words);
      const flags = command.options.map(({ long }) => long);
      expect([words, entry?.examples.length]).toEqual([words, expect.toSatisfy((count: number) => count > 0)]);
      if (words === 'iam login') continue;
      expect([words, ['write', 'destructive'].includes(entry?.effect ?? '')]).toEqual([
        words,
        flags.includes('--dry-run'),
      ]);
      if (entry?.effect === 'destructive') expect(flags).toEqual(expect.arrayContaining(['--yes', '--confirm']));
    }
  });

  test('has readable roles, or that they depend on the requested operations', async () => {
    for (const { roles } of await catalogue())
      if (roles !== varyingRoles) expect(() => parseRoles(roles)).not.toThrow();
  });
});

describe('a command that was replaced', () => {
  const replaced = commandGroups.flatMap(({ commands }) =>
    commands.flatMap((entry) =>
      'summary' in entry
        ? Object.entries(entry.replaced ?? {}).map(([former, now]) => [`${entry.name} ${former}`, now] as const)
        : [],
    ),
  );

  test('exists', () => {
    expect(replaced.map(([former]) => former)).toContain('groups graph');
  });

  test.each(replaced)('%s is rejected with the command that replaces it', async (former, now) => {
    const { code, out, err } = await iam(former.split(' '));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`Use \`iam ${now}\`.`);
    expect((await iam([...now.split(' '), '--help'])).code).toBe(0);
  });

  test.each([
    ['list groups', 'Did you mean `iam groups list`?'],
    ['delete user ada', 'Did you mean `iam users delete`?'],
    ['groups describe ops', 'Did you mean `iam groups get`?'],
    ['config list', 'Did you mean `iam config explain`?'],
    ['users --profile x modify ada', 'Did you mean `iam users update`?'],
    ['users create --email x@example.com', 'Did you mean --user-email?'],
    ['users lock ada --search x', '`iam users list` has --search.'],
    ['users get --user ada', 'Pass it as the argument <user-id>.'],
    ['api-key list --app=x', 'Did you mean --app-id?'],
    ['groups lits', 'Did you mean list?'],
    ['groups list --limt 3', 'Did you mean --limit?'],
    ['groups list --search x', 'Did you mean `iam groups search`?'],
    ['groups list --filter x', 'Did you mean `iam groups search`?'],
    ['customers list --filter x', 'Did you mean --search?'],
    ['sessions list --filter x', 'Filter and sort the result with --query; see `iam help filters`.'],
    ['groups delete ops --force', 'Did you mean --yes?'],
    ['groups list --json', 'Did you mean -o json?'],
    ['groups list --format json', 'Did you mean --output?'],
    ['auth login', 'Did you mean `iam login`?'],
    ['--profile x version', 'Did you mean `iam --version`?'],
    ['config unset output', 'Did you mean `iam config set KEY ""`?'],
    ['groups add-user ops ada', 'Did you mean `iam groups users add`?'],
    ['list-users', 'Did you mean `iam users list`?'],
    ['logs -f', 'Did you mean `iam server logs`?'],
    ['reset', 'Did you mean `iam clock reset` or `iam state reset`?'],
    ['customers create-business --name x', 'Did you mean --business-name?'],
  ])('%j gets a suggestion', async (line, hint) => {
    const { code, err } = await iam(line.split(' '));
    expect([code, err]).toEqual([2, expect.stringContaining(`hint     ${hint} Add --help to see the usage.`)]);
  });

  test.each([
    ['groups create', '--group-name', '--name'],
    ['groups list', '--name', '--group-name'],
    ['users create --user-email a@example.com', '--user-name', '--name'],
    ['users list', '--name', '--user-name'],
    ['corporate-groups create', '--corporate-group-name', '--name'],
  ])('%s accepts %s and %s', async (line, one, other) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    const run = async (flag: string) => {
      const { out } = await iam([...line.split(' '), flag, 'x', '-o', 'json'], server);
      return [out, server.received.at(-1)?.path, server.received.at(-1)?.body];
    };
    const plain = await run(one);
    expect(JSON.stringify(plain)).toContain('x');
    expect(await run(other)).toEqual(plain);
  });

  test.each(Object.values(commands))('the suggested iam %s exists', async (line) => {
    expect((await iam([...line.replace(/ KEY.*/, '').split(' '), '--help'])).code).toBe(0);
  });

  test('the pair of a command that asks accepts --yes', async () => {
    const { code } = await iam(['users', 'unlock', '64b0c0ffee00000000000001', '--yes', '--dry-run']);
    expect(code).toBe(0);
  });

  test('does not hide an unknown command', async () => {
    const { code, err } = await iam(['groups', 'constructor']);
    expect(code).toBe(2);
    expect(err).toContain("unknown command 'constructor'");
  });
});

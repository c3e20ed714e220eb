/** The help of every command and topic. */
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { buildCompleteProgram } from '../../src/cli/cli-reference.ts';
import { commandPath } from '../../src/cli/command.ts';
import { createGlobalOptions, globalOptionsLine, isGlobalOption } from '../../src/cli/config/global-options.ts';
import { formatListShapes } from '../../src/cli/request/field-options.ts';
import { manifest } from '../../src/contract/manifest.ts';
import { iam } from './run-cli.ts';

const output = new Writable({ write: (_, __, done) => done() });

function listCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(listCommands)];
}

const commands = listCommands(await buildCompleteProgram(output));
const globals = createGlobalOptions().flatMap(({ options }) => options);

/** The options whose help is as long as their settings: those of the server. */
const serverCommands = ['iam serve', 'iam server start'];

/** Too long: a client has more settings than any other object. */
const longestHelp: Readonly<Record<string, number>> = { 'iam clients update': 95 };

describe.each(commands.map((command) => ({ name: commandPath(command), command })))('the help of $name', (case_) => {
  const { name, command } = case_;
  const words = name.split(' ').slice(1);
  const acceptsGlobals = command.options.some(isGlobalOption);

  test('has global options in one line, after its own arguments, options and examples', async () => {
    const { out } = await iam([...words, '--help'], { columns: 80 });
    const lines = out.trimEnd().split('\n');
    const own = command.options.filter((option) => !isGlobalOption(option));
    for (const { flags } of globals.filter(({ long }) => !own.some((option) => option.long === long)))
      expect(lines.filter((line) => line.startsWith(`  ${flags}`))).toEqual([]);
    const at = lines.indexOf(globalOptionsLine);
    expect(at >= 0).toBe(acceptsGlobals);
    expect(lines.filter((line) => line.startsWith('Global options'))).toHaveLength(acceptsGlobals ? 1 : 0);
    if (!acceptsGlobals) return;
    const before = lines.slice(0, at);
    for (const { flags, hidden } of own.filter(({ hidden }) => !hidden))
      expect([flags, hidden, before.some((line) => line.startsWith(`  ${flags}`))]).toEqual([flags, hidden, true]);
    for (const heading of ['Arguments:', 'Options:', 'Examples:'])
      expect([heading, lines.lastIndexOf(heading)]).toEqual([heading, before.lastIndexOf(heading)]);
  });

  test('calls no option required that is also an argument', () => {
    const args = command.registeredArguments.map((argument) => `--${argument.name()}`);
    const both = command.options.filter(({ long }) => args.includes(long ?? ''));
    expect(both.filter(({ description }) => description.includes('(required)'))).toEqual([]);
    expect(both.filter(({ description, hidden }) => !hidden && !description.includes('argument'))).toEqual([]);
  });

  test('fits 80 columns and has at most 75 lines, with the listed exceptions', async () => {
    const { out } = await iam([...words, '--help'], { columns: 80 });
    const lines = out.trimEnd().split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    if (!serverCommands.includes(name)) expect(lines.length).toBeLessThanOrEqual(longestHelp[name] ?? 75);
  });
});

test.each(
  manifest.operations.flatMap(({ id, command, body }) => {
    const shapes = formatListShapes(body, '');
    return command !== undefined && shapes.length > 0 ? [{ id, command, shapes }] : [];
  }),
)('the help of $command shows the lists of its file', async ({ command, shapes }) => {
  const { out } = await iam([...command.split(' '), '--help'], { columns: 80 });
  if (out.includes('--file <file>')) expect(out.replace(/\s+/g, ' ')).toContain(`; lists: ${shapes.join(', ')}`);
});

test('lists are shown as they are written', () => {
  const bodyOf = (id: string) => manifest.operations.find((operation) => operation.id === id)?.body;
  expect(formatListShapes(bodyOf('groups.update'), '')).toEqual([
    'roles: [ROLE, ..]',
    'dependencies: [{groupName: GROUP-NAME}, ..]',
  ]);
  expect(formatListShapes(bodyOf('user-accesses.add-user'), '')).toEqual(['[{userId: USER-ID}, ..]']);
});

test('the help of a command without options of its own is short', async () => {
  const { out } = await iam(['groups', 'get', '--help'], { columns: 80 });
  expect(out.split('\n').length).toBeLessThan(25);
});

test('the topic lists each global option once, at most 80 columns wide', async () => {
  const { out } = await iam(['help', 'global-options']);
  for (const { flags } of globals)
    expect(out.split('\n').filter((line) => line.startsWith(`  ${flags}`))).toHaveLength(1);
  expect(globals.length).toBe(commands[0]?.options.filter(isGlobalOption).length);
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(globalOptionsLine.length).toBeLessThanOrEqual(80);
});

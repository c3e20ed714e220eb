/** The pager: for output of commands that change nothing, if it is longer than the terminal. */
import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect } from 'vitest';
import { buildCompleteProgram } from '../../../src/cli/cli-reference.ts';
import { commandPath, descriptionOf, isPaged } from '../../../src/cli/command.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { startFakeServer } from '../../client/fake-server.ts';
import { Home, test, tokenVariables } from '../run-cli.ts';

const groups = Array.from({ length: 30 }, (_, at) => ({ groupId: `g${at}`, groupName: `group-${at}` }));
const list = ['groups', 'list', '--columns', 'groupName'];
const listed = ['GROUP NAME', ...groups.map(({ groupName }) => groupName), ''].join('\n');

async function page(home: Home, words: readonly string[], variables: Readonly<Record<string, string>>, rows = 20) {
  await using server = await startFakeServer(({ method }) => (method === 'GET' ? { json: groups } : { json: {} }));
  const all = { ...tokenVariables, PATH: '/usr/bin:/bin', ...variables };
  const outcome = await home.iam(words, { url: server.url, variables: all, columns: 80, rows });
  const paged = await readFile(home.file('paged'), 'utf8').catch(() => undefined);
  return { ...outcome, paged };
}

describe('the pager', () => {
  const to = (home: Home) => `cat > '${home.file('paged')}'`;

  test('gets output that is longer than the terminal', async ({ home }) => {
    expect(await page(home, list, { PAGER: to(home) })).toEqual({ code: 0, out: '', err: '', paged: listed });
    expect((await page(home, list, { PAGER: 'false', IAM_PAGER: to(home) })).paged).toBe(listed);
  });

  test.each<[string, readonly string[], Readonly<Record<string, string>>, number?]>([
    ['output that fits', list, {}, 40],
    ['--no-pager', [...list, '--no-pager'], {}],
    ['--verbose', [...list, '--verbose'], {}],
    ['CI', list, { CI: 'true' }],
    ['an empty variable', list, { IAM_PAGER: '' }],
    ['IAM_PAGER=cat', list, { IAM_PAGER: 'cat' }],
    ['TERM=dumb', list, { TERM: 'dumb' }],
  ])('is not used with %s', async (_, words, variables, rows) => {
    await using home = await Home.make();
    const { out, paged } = await page(home, words, { PAGER: to(home), ...variables }, rows);
    expect([out, paged]).toEqual([listed, undefined]);
  });

  test('that is missing loses nothing, and one that the user leaves ends the command', async ({ home }) => {
    expect(await page(home, list, { PAGER: '/missing/pager 2>/dev/null' })).toMatchObject({ code: 0, out: listed });
    expect(await page(home, list, { PAGER: 'true' })).toMatchObject({ code: 0, out: '' });
  });

  test('has the notices behind it', async ({ home }) => {
    const { err, paged } = await page(home, [...list, '--limit', '25'], { PAGER: to(home) });
    expect(paged?.split('\n')).toHaveLength(27);
    expect(err).not.toBe('');
  });

  test('is for commands that change nothing, except those that show what happens', async () => {
    const commands = listCommands(await allCommands());
    const changes = manifest.operations.filter(({ method }) => method !== 'GET').map(({ command }) => `iam ${command}`);
    const others = ['apply', 'bulk run', 'groups edit', 'clients update', 'api', 'call', 'sessions end'];
    const changing = new Set([...changes, ...others.map((words) => `iam ${words}`)]);
    const found = commands.filter((command) => changing.has(commandPath(command)));
    expect(found.length).toBeGreaterThan(50);
    expect(found.filter(isPaged).map(commandPath)).toEqual([]);
    const live = commands.filter((command) => descriptionOf(command)?.live).map((command) => command.name());
    expect(live.sort()).toEqual(['events', 'logs']);
  });
});

function allCommands(): Promise<Command> {
  const output = new Writable({ write: (_, __, done) => done() });
  return buildCompleteProgram(output);
}

function listCommands(command: Command): Command[] {
  return command.commands.flatMap((below) => [below, ...listCommands(below)]);
}

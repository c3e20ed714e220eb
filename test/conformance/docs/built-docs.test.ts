/** The documents that the build writes to dist/docs/ contain every command and route; dist/ itself is not read. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import { builtDocs, writeDocs } from '../../../scripts/generate/docs.ts';
import { buildCompleteProgram } from '../../../src/cli/cli-reference.ts';
import { commandPath } from '../../../src/cli/command.ts';
import { topics } from '../../../src/cli/commands/help.ts';
import { createGlobalOptions, globalOptionsLine, isGlobalOption } from '../../../src/cli/config/global-options.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { controlPrefix } from '../../../src/contract/prefix.ts';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import { root } from '../source-files.ts';
import { listLinks } from './markdown-links.ts';

const documents = await builtDocs(root);
const textOf = (name: string) => documents.get(name) ?? '';

/** The sections of a page by their headings. */
function sectionsOf(text: string): Map<string, string> {
  return new Map(
    text.split(/^## /m).map((section) => {
      const end = section.indexOf('\n');
      return [section.slice(0, end), section.slice(end)];
    }),
  );
}

describe('cli.md', async () => {
  const program = await buildCompleteProgram(process.stdout);
  const all = descendants(program).filter(({ commands, options }) => commands.length === 0 || options.length > 0);
  const sections = sectionsOf(textOf('cli.md'));

  function descendants({ commands }: Command): Command[] {
    return commands.flatMap((command) => [command, ...descendants(command)]);
  }

  test('has a section for the command of each operation', () => {
    const commands = manifest.operations.flatMap(({ command }) => (command === undefined ? [] : [`iam ${command}`]));
    expect(commands.length).toBeGreaterThan(50);
    expect(commands.filter((command) => !sections.has(command))).toEqual([]);
  });

  test('lists the global options once', () => {
    const globals = createGlobalOptions().flatMap(({ options }) => options.map(({ flags }) => flags));
    const topic = sections.get('Global options') ?? '';
    expect(globals.filter((flags) => !topic.includes(`  ${flags} `))).toEqual([]);
    expect(textOf('cli.md').split(globalOptionsLine)).toHaveLength(2);
  });

  test('has a section for every command with its own options', () => {
    const shared = new Set(program.options.filter(isGlobalOption).map(({ long }) => long));
    expect(all.length).toBeGreaterThan(100);
    for (const command of [program, ...all]) {
      const flags = command.options.filter(({ long, hidden }) => !hidden && !shared.has(long));
      const section = sections.get(commandPath(command)) ?? '';
      expect([commandPath(command), flags.filter(({ flags }) => !section.includes(flags))]).toEqual([
        commandPath(command),
        [],
      ]);
      expect(section).toContain(`Usage: ${commandPath(command)}`);
    }
  });

  test('has the help topics', () => {
    const titles = Object.values(topics).map((lines) => lines()[0] ?? '');
    expect(titles.filter((title) => !sections.has(title))).toEqual([]);
  });
});

describe('control.md', () => {
  const sections = sectionsOf(textOf('control.md'));

  test.each(controlRoutes)('has a section for $method $path', ({ method, path: route, title, errors, request }) => {
    const section = sections.get(`${method} ${controlPrefix}${route}`) ?? '';
    const names = [...Object.keys({ ...request.params, ...request.query }), ...errors];
    expect(section).toContain(title);
    expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('each document', () => {
  test.each([...documents])('%s is deterministic and ends with a line break', async (name, content) => {
    expect(content.endsWith('\n')).toBe(true);
    expect((await builtDocs(root)).get(name) === content).toBe(true);
  });

  test('links to files that the repository and the package contain', () => {
    const { files } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { files: string[] };
    const links = [...documents].flatMap(([name, text]) => (name.endsWith('.md') ? listLinks(text) : []));
    const targets = links.map(({ file }) => path.posix.join('dist/docs', file));
    const dead = targets.filter((target) =>
      target.startsWith('dist/docs/')
        ? !documents.has(path.posix.basename(target))
        : !existsSync(path.join(root, target)) || !files.includes(target.split('/')[0] ?? ''),
    );
    expect(targets.length).toBeGreaterThan(1);
    expect(dead).toEqual([]);
  });
});

describe('writeDocs', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'iam-docs-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('replaces the folder by the documents', async () => {
    const outdir = path.join(folder, 'dist/docs');
    await writeDocs({ root, outdir });
    writeFileSync(path.join(outdir, 'stale.md'), '');
    await writeDocs({ root, outdir });
    expect(readdirSync(outdir).sort()).toEqual([...documents.keys()].sort());
    for (const [name, content] of documents)
      expect(readFileSync(path.join(outdir, name), 'utf8') === content).toBe(true);
  });
});

/** The links of all pages have targets. The paths in the pages for contributors exist, and their npm scripts too. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtDocs } from '../../../scripts/generate/docs.ts';
import { listSourceFiles, readSource, root } from '../source-files.ts';
import { listAnchors, listLinks } from './markdown-links.ts';

const namesIn = (folder: string) => readdirSync(path.join(root, folder)).map((name) => path.posix.join(folder, name));
const decisions = namesIn('docs/decisions');
const allPages = [...namesIn('.'), ...namesIn('docs'), ...namesIn('docs/reference'), ...decisions].filter((name) =>
  name.endsWith('.md'),
);
const pages = ['CONTRIBUTING.md', 'docs/architecture.md', 'docs/api-stability.md', ...decisions];

/** Folders to which the pages abbreviate paths: `http/router.ts`. */
const folders = ['', 'src', 'src/server', 'src/contract', 'src/cli', 'test/fixtures'];

/** A path in backticks: a folder with its final slash, or a file of a kind that the project contains, without wildcards. */
const pathInCode = /`([\w.@-]+(?:\/[\w.-]+)*(?:\/|\/[\w.-]+\.\w+|\.(?:ts|mjs|md)))`/g;

/** Files that a build or a server writes. */
const written = /^(dist\/|data\/|[\w<>.-]+\.jsonl?$)/;

function matchesOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name);
}

describe.each(pages)('%s', (page) => {
  const text = readSource(page);

  test('names files and folders that exist', () => {
    const missing = matchesOf(text, pathInCode)
      .filter((name) => !written.test(name))
      .filter((name) => !folders.some((folder) => existsSync(path.join(root, folder, name))));
    expect(missing).toEqual([]);
  });
});

describe.each(allPages)('%s', (page) => {
  test('links to files of the repository and to headings', () => {
    const dead = listLinks(readSource(page)).filter(({ file, anchor }) => {
      const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
      if (target.startsWith('dist/') || !existsSync(path.join(root, target))) return true;
      return anchor !== '' && !listAnchors(readSource(target)).includes(anchor);
    });
    expect(dead).toEqual([]);
  });
});

test('the README has at most 150 lines, and every page is reachable from it', () => {
  expect(readSource('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  const reached = new Set(['README.md']);
  for (const page of reached)
    for (const { file } of listLinks(readSource(page))) {
      const target = path.posix.join(path.posix.dirname(page), file);
      // A link to a folder leads to its pages.
      for (const found of allPages.filter((one) => one === target || `${path.posix.dirname(one)}/` === target))
        reached.add(found);
    }
  expect(allPages.filter((page) => !reached.has(page))).toEqual([]);
});

test('pages and sources name the built documents by their paths in dist/docs/', async () => {
  const names = [...(await builtDocs(root)).keys()];
  const files = [...allPages, ...['src', 'packages', 'test', 'scripts', 'bench'].flatMap(listSourceFiles)];
  const paths = files.flatMap((file) =>
    matchesOf(readSource(file), /((?:dist\/)?\bdocs\/[\w-]+\.(?:md|json))/g).map((name) => ({ file, name })),
  );
  const wrong = paths.filter(({ name }) => names.includes(path.posix.basename(name)) !== name.startsWith('dist/docs/'));
  expect(paths.filter(({ name }) => name.startsWith('dist/docs/')).length).toBeGreaterThan(5);
  expect(wrong).toEqual([]);
});

test('the functions in CONTRIBUTING.md are exports of the files before them', () => {
  const named = [...readSource('CONTRIBUTING.md').matchAll(/`([\w./-]+\.ts)`, `(\w+)`/g)];
  expect(named.length).toBeGreaterThan(2);
  const missing = named.filter(
    ([, file = '', name]) => !new RegExp(`^export (async )?function ${name}\\b`, 'm').test(readSource(file)),
  );
  expect(missing.map(([text]) => text)).toEqual([]);
});

test('the commands of CONTRIBUTING.md are npm scripts', () => {
  const { scripts } = JSON.parse(readSource('package.json')) as { scripts: Record<string, string> };
  const text = readSource('CONTRIBUTING.md');
  expect(matchesOf(text, /npm run ([\w-]+)/g).filter((name) => scripts[name] === undefined)).toEqual([]);
  expect(matchesOf(text, pathInCode).length).toBeGreaterThan(50);
});

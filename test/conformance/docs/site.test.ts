/** The site of the documentation, as far as it can be checked without its generator: `npm run docs` builds it. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadScript } from '../../scripts/load-script.ts';
import { readSource, root } from '../source-files.ts';

interface SidebarScript {
  createSidebar(
    readme: string,
    readTitle: (file: string) => string,
  ): readonly { readonly text: string; readonly items: readonly { readonly link: string }[] }[];
  toPagePath(file: string): string;
}

const { createSidebar, toPagePath } = await loadScript<SidebarScript>('docs-site/sidebar.mjs');

test('its menu has each page once, by task; the decisions are listed by their own page', () => {
  const groups = createSidebar(readSource('README.md'), (file) => file);
  expect(groups.map(({ text }) => text)).toContain('Operate a server');
  const links = groups.flatMap(({ items }) => items.map(({ link }) => link));
  const pages = ['docs', 'docs/reference'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).flatMap((name) =>
      name.endsWith('.md') ? [toPagePath(`${folder}/${name}`)] : [],
    ),
  );
  const expected = [...pages, '/decisions/index', '/CONTRIBUTING', '/CHANGELOG'];
  expect([...links].sort()).toEqual(expected.sort());
});

test('the page of decisions lists all of them', () => {
  const names = readdirSync(path.join(root, 'docs/decisions')).filter((name) => name !== 'README.md');
  const list = readSource('docs/decisions/README.md');
  for (const name of names) expect(list).toContain(`](${name})`);
  expect(list.match(/^- /gm)?.length).toBe(names.length);
});

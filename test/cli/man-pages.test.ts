/** The manual pages: complete, and without errors of roff where groff is installed. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { renderManPages } from '../../src/cli/man-pages.ts';

const pages = await renderManPages();

test('there is a page for iam and for each command below it', () => {
  expect([...pages.keys()]).toEqual(expect.arrayContaining(['iam.1', 'iam-groups.1', 'iam-login.1', 'iam-store.1']));
  expect(pages.get('iam-groups.1')).toContain('.SS "iam groups update"');
  expect(pages.get('iam-groups.1')).toContain('\\fB\\-\\-add\\-role <value..>');
  expect(pages.get('iam.1')).toContain('.SH "EXIT CODES"');
});

test('package.json lists each page, because npm installs only those', async () => {
  const { man } = JSON.parse(await readFile('package.json', 'utf8')) as { man: readonly string[] };
  expect([...man].sort()).toEqual([...pages.keys()].map((name) => `./dist/man/${name}`).sort());
});

test.each([...pages])('%s has only known requests and escapes', (_, text) => {
  const requests = [...text.matchAll(/^[.'](\S+)/gm)].map(([, name]) => name);
  const known = ['\\"', 'TH', 'SH', 'SS', 'PP', 'TP', 'B', 'BR', 'nf', 'fi', 'RS', 'RE'];
  expect(requests.filter((name = '') => !known.includes(name))).toEqual([]);
  expect(text.replaceAll(/\\(?:fB|fR|e|-|&|\(ga|\(ha|\(ti|\(dq|")/g, '')).not.toContain('\\');
});

test('groff formats every page without a warning', (ctx) => {
  ctx.skip(spawnSync('groff', ['--version']).status !== 0, 'groff is not installed');
  const { status, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-'], {
    input: [...pages.values()].join(''),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
});

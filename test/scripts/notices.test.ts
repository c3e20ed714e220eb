/** The notices and the bill of materials of a project with a few packages. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadScript } from './load-script.ts';

interface Component {
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly properties: readonly { readonly value: string }[];
}

interface Sbom {
  readonly metadata: { readonly timestamp?: string };
  readonly components: readonly Component[];
}

const { writeNotices } = await loadScript<{
  writeNotices(options: {
    root: string;
    metafile: object;
    outdir: string;
    env?: Record<string, string>;
    embedded?: readonly object[];
  }): void;
}>('notices.mjs');
const { isPermissive } = await loadScript<{ isPermissive(expression: string): boolean }>('licenses.mjs');

const { listSwaggerPackages, readSwaggerNotices, shareTerms } = await loadScript<{
  listSwaggerPackages(root: string): readonly string[];
  readSwaggerNotices(root: string, swagger: { id: string }): string;
  shareTerms(texts: readonly string[]): { texts: readonly string[]; terms: readonly string[] };
}>('swagger-ui-notices.mjs');

const ofSwagger = 'Packages in swagger-ui-bundle.js and swagger-ui.css of swagger-ui-dist';
const mit = { license: 'MIT', author: 'Ann Author' };

class Project {
  readonly root = mkdtempSync(path.join(os.tmpdir(), 'iam-notices-'));
  /** Code of other projects in bundled packages. */
  embedded: readonly object[] = [];
  readonly #inputs: Record<string, { bytesInOutput: number }> = { 'src/main.ts': { bytesInOutput: 1 } };
  readonly #locked: Record<string, object> = {};

  constructor() {
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }));
    this.write('package.json', {
      name: 'project',
      version: '1.0.0',
      license: 'MIT',
      dependencies: { native: '1.0.0' },
    });
    this.write('package-lock.json', { packages: this.#locked });
    this.install('native', { version: '1.0.0', ...mit });
    this.write('scripts/swagger-ui-notices.txt', `${ofSwagger}@5.0.0\n\nlicense of react`);
    this.install(
      'swagger-ui-dist',
      { version: '5.0.0', license: 'Apache-2.0' },
      { LICENSE: 'Apache', NOTICE: 'swagger' },
    );
  }

  write(file: string, content: object | string): void {
    mkdirSync(path.dirname(path.join(this.root, file)), { recursive: true });
    writeFileSync(path.join(this.root, file), typeof content === 'string' ? content : JSON.stringify(content));
  }

  /** Installs a package under `place` in node_modules. */
  install(place: string, manifest: object, files: Record<string, string> = {}, integrity?: string): void {
    const folder = `node_modules/${place}`;
    const name = place.split('node_modules/').at(-1);
    this.write(`${folder}/package.json`, { name, ...manifest });
    for (const [file, text] of Object.entries(files)) this.write(`${folder}/${file}`, text);
    this.#locked[folder] = { integrity };
    this.write('package-lock.json', { packages: this.#locked });
  }

  /** Installs a package and adds its index.js to the bundle. */
  bundle(
    place: string,
    manifest: object,
    files: Record<string, string> = {},
    { code = '', bytes = 1, integrity }: { code?: string; bytes?: number; integrity?: string } = {},
  ): void {
    this.install(place, manifest, { ...files, 'index.js': code }, integrity);
    this.#inputs[`node_modules/${place}/index.js`] = { bytesInOutput: bytes };
  }

  /** Adds a file of an installed package to the bundle. */
  addFile(file: string, code = ''): void {
    this.write(`node_modules/${file}`, code);
    this.#inputs[`node_modules/${file}`] = { bytesInOutput: 1 };
  }

  writeNotices(env: Record<string, string> = {}): { notices: string; sbom: Sbom; sbomText: string } {
    const outputs = { 'dist/cli.cjs': { inputs: this.#inputs } };
    writeNotices({ root: this.root, metafile: { outputs }, outdir: this.root, env, embedded: this.embedded });
    const read = (file: string) => readFileSync(path.join(this.root, file), 'utf8');
    const sbomText = read('sbom.cdx.json');
    return { notices: read('THIRD-PARTY-NOTICES.txt'), sbom: JSON.parse(sbomText), sbomText };
  }
}

const headingsOf = (notices: string) => [...notices.matchAll(/^={80}\n(.*)$/gm)].map(([, heading]) => heading);
const purlsOf = ({ components }: Sbom) => components.map(({ purl }) => purl);

describe('the notices', () => {
  test('contain each version of a bundled package once, sorted, and the copied packages', () => {
    const project = new Project();
    project.bundle('b', { version: '1.0.0', ...mit }, { LICENSE: 'license of b 1' });
    project.bundle('@x/a/node_modules/b', { version: '2.0.0', ...mit }, { LICENSE: 'license of b 2' });
    project.bundle('c/node_modules/b', { version: '1.0.0', ...mit }, { LICENSE: 'license of b 1' });
    project.bundle('@x/a', { version: '1.0.0', ...mit }, { LICENSE: 'license of a' });
    const { notices } = project.writeNotices();
    expect(headingsOf(notices)).toEqual(['@x/a 1.0.0', 'b 1.0.0', 'b 2.0.0', 'swagger-ui-dist 5.0.0']);
    for (const text of ['license of a', 'license of b 1', 'license of b 2', 'Apache', 'swagger'])
      expect(notices.split(`\n${text}\n`)).toHaveLength(2);
  });

  test('do not contain packages without code in the bundle', () => {
    const project = new Project();
    project.bundle('a', { version: '1.0.0', ...mit }, {}, { bytes: 0 });
    project.install('b', { version: '1.0.0', ...mit });
    expect(headingsOf(project.writeNotices().notices)).toEqual(['swagger-ui-dist 5.0.0']);
  });

  test('contain all license files, the copyright, and the legal comments of bundled files', () => {
    const project = new Project();
    const files = {
      'LICENSE-MIT.txt': 'Copyright (c) 2020 Ann\r\ntext',
      'NOTICE.md': 'a notice',
      'license.js': 'code',
    };
    const code = [
      "/*! by Bob */ a('http://x'); /* plain */ /* @license c */",
      '//! by Cy',
      '  // @preserve d',
      '  // by Dan',
      'b; /* plain, // plain */',
      '// plain: /*',
      '/*! by Eve */',
    ];
    project.bundle('a', { version: '1.0.0', ...mit }, files, { code: code.join('\n') });
    const { notices } = project.writeNotices();
    expect(notices).toContain(
      'a 1.0.0\nLicense: MIT\n\nCopyright (c) 2020 Ann\ntext\n\na notice\n\nNotices in its files:\n\n' +
        '/* @license c */\n\n/*! by Bob */\n\n/*! by Eve */\n\n//! by Cy\n  // @preserve d\n  // by Dan\n',
    );
    expect(notices).not.toContain('plain');
  });

  test('contain the license files in the folders of bundled files, up to the package', () => {
    const project = new Project();
    project.bundle('a', { version: '1.0.0', ...mit }, { LICENSE: 'license of a', 'lib/x/LICENSE': 'license of x' });
    project.write('node_modules/a/lib/COPYING', 'license of a');
    project.write('node_modules/a/lib/NOTICE', 'notice of lib');
    project.write('node_modules/a/lib/license/index.js', 'code');
    project.write('node_modules/a/test/LICENSE', 'license of test');
    project.addFile('a/lib/x/y/one.js');
    project.addFile('a/lib/two.js');
    expect(project.writeNotices().notices).toContain(
      'license of a\n\nlib/NOTICE:\n\nnotice of lib\n\nlib/x/LICENSE:\n\nlicense of x\n',
    );
    expect(project.writeNotices().notices).not.toContain('license of test');
  });

  test('contain comments with a copyright statement or a license once', () => {
    const project = new Project();
    const comments = [
      '/* Copyright (c) Ann */',
      '/* Copyright Bob, 2018. */',
      '/* Copyright Cy\n\nPermission is hereby granted, free of charge */',
      '// Dan\n// © 2020',
      '/* Eve, MIT 2018 */',
    ];
    const plain = ['/* throws if the copyright is missing */', '// in 2018 and under MIT', '/* copied from "c" */'];
    project.bundle(
      'a',
      { version: '1.0.0', ...mit },
      { LICENSE: 'text' },
      { code: [...comments, ...plain].join('\n\n') },
    );
    project.addFile('a/other.js', comments.join('\n;\n'));
    const { notices } = project.writeNotices();
    for (const comment of comments) expect(notices.split(comment)).toHaveLength(2);
    for (const comment of plain) expect(notices).not.toContain(comment);
  });

  test('take time in proportion to the length of a file', () => {
    const project = new Project();
    project.bundle('a', { version: '1.0.0', ...mit }, { LICENSE: 'text' }, { code: '/* copyright '.repeat(100_000) });
    expect(headingsOf(project.writeNotices().notices)).toContain('a 1.0.0');
  });

  test('contain the license of code from another project', () => {
    const project = new Project();
    project.embedded = [{ title: 'other', package: 'a', folder: 'lib/other', text: 'license of other' }];
    project.bundle('a', { version: '1.0.0', ...mit }, { LICENSE: 'license of a' });
    project.bundle('b', { version: '1.0.0', ...mit }, { LICENSE: 'license of b' });
    project.addFile('b/lib/other/index.js');
    expect(() => project.writeNotices()).toThrow(
      'The bundle has no file in lib/other of a. Remove "other" from "embeddedCode" in scripts/licenses.mjs',
    );
    project.addFile('a/lib/other/index.js');
    const { notices } = project.writeNotices();
    expect(notices).toContain('license of a\n\nother:\n\nlicense of other\n');
    expect(notices.match(/license of other/g)).toHaveLength(1);
  });

  test('contain the known text of a license if a package has none', () => {
    const project = new Project();
    project.bundle('a', { version: '1.0.0', ...mit });
    project.bundle('b', { version: '1.0.0', license: 'ISC' });
    const { notices } = project.writeNotices();
    expect(notices).toContain('a 1.0.0\nLicense: MIT\n\nCopyright (c) Ann Author\n');
    expect(notices).toMatch(/^b 1.0.0\nLicense: ISC\n\nCopyright \(c\) the authors of b\n[\s\S]*Permission to use/m);
  });

  test('name the author if the license names no copyright holder', () => {
    const project = new Project();
    const apache = 'Copyright notice\n   Copyright [yyyy] [name of copyright owner]';
    project.bundle('a', { version: '1.0.0', ...mit }, { LICENSE: apache });
    project.bundle('b', { version: '1.0.0', ...mit }, { LICENSE: '  Copyright 2020 Bob' });
    const { notices } = project.writeNotices();
    expect(notices).toContain(`a 1.0.0\nLicense: MIT\nAuthor: Ann Author\n\n${apache}\n`);
    expect(notices).toContain('b 1.0.0\nLicense: MIT\n\n  Copyright 2020 Bob\n');
  });

  test('name the source of a package under MPL-2.0', () => {
    const project = new Project();
    const repository = { url: 'git://example.com/jmespath' };
    const name = '@jmespath-community/jmespath';
    project.bundle(name, { version: '1.0.0', license: 'MPL-2.0', repository }, { LICENSE: 'text' });
    expect(project.writeNotices().notices).toContain(
      `Source: https://example.com/jmespath and https://www.npmjs.com/package/${name}/v/1.0.0\n`,
    );
  });
});

describe('the notices for the packages in swagger-ui-dist', () => {
  const root = path.resolve(import.meta.dirname, '../..');
  const { version } = JSON.parse(readFileSync(path.join(root, 'node_modules/swagger-ui-dist/package.json'), 'utf8'));

  test('name each package that the installed version contains, with a text', () => {
    const notices = readSwaggerNotices(root, { id: `swagger-ui-dist@${version}` });
    const parts = notices.split(/^-{80}\n/m).slice(1);
    const sections = parts.filter((part) => !part.startsWith('Terms '));
    const names = sections.flatMap((section) =>
      [...section.matchAll(/^(\S+) \S+, license: .+$/gm)].map(([, name]) => name),
    );
    expect(names.sort()).toEqual(listSwaggerPackages(root));
    expect(names).toEqual(expect.arrayContaining(['highlight.js', 'lodash', 'js-yaml', 'autolinker', 'normalize.css']));
    for (const section of sections) expect(section).toMatch(/^[^\n]+\n[\s\S]*(?:copyright|public domain)/i);
  });

  test('contain the terms to which they refer', () => {
    const notices = readSwaggerNotices(root, { id: `swagger-ui-dist@${version}` });
    const titles = [...notices.matchAll(/^-{80}\n(Terms \d+)\n\n(?:Permission|\s+Apache|\s+Licensed)/gm)].map(
      ([, title]) => title,
    );
    const references = [...notices.matchAll(/\[(Terms \d+), below\]/g)].map(([, title]) => title);
    expect(titles).not.toEqual([]);
    expect([...new Set(references)].sort()).toEqual(titles.sort());
  });

  test('have the terms of several packages once, whatever their line breaks, with the copyright of each', () => {
    const permission = 'Permission is hereby granted, free of charge.';
    const mit = (lineBreak: string) => `${permission}${lineBreak}OTHER DEALINGS IN THE SOFTWARE.`;
    const other = 'Permission is hereby granted, free of charge, to Ann: DEALINGS IN THE SOFTWARE.';
    const { texts, terms } = shareTerms([`(c) Ann\n\n${mit(' ')}`, `(c) Bob\n\n${mit('\n')}\n\nmore`, other]);
    expect(texts).toEqual(['(c) Ann\n\n[Terms 1, below]', '(c) Bob\n\n[Terms 1, below]\n\nmore', other]);
    expect(terms).toEqual([`Terms 1\n\n${mit(' ')}\n`]);
  });

  test('are part of its notice, and must be for its version', () => {
    const project = new Project();
    expect(project.writeNotices().notices).toContain(`swagger\n\n${ofSwagger}@5.0.0\n\nlicense of react\n`);
    project.install('swagger-ui-dist', { version: '5.0.1', license: 'Apache-2.0' });
    expect(() => project.writeNotices()).toThrow('scripts/swagger-ui-notices.txt is not for swagger-ui-dist@5.0.1.');
  });
});

describe('the build fails', () => {
  test.each([
    [
      'a license that is not allowed',
      { license: 'GPL-3.0-only' },
      /a@1.0.0 has the license "GPL-3.0-only".*Allowed: 0BSD/,
    ],
    ['no license', {}, /a@1.0.0 has the license "none".*scripts\/licenses.mjs/],
    ['a license in another format', { license: { type: 'MIT' } }, /a@1.0.0 has the license {"type":"MIT"}/],
    ['MPL-2.0 without a review', { license: 'MPL-2.0' }, /a@1.0.0 has the license "MPL-2.0"/],
  ])('for %s', (_what, manifest, message) => {
    const project = new Project();
    project.bundle('a', { version: '1.0.0', ...manifest }, { LICENSE: 'text' });
    expect(() => project.writeNotices()).toThrow(message);
  });

  test('for a license without a text, and for an unknown source', () => {
    const project = new Project();
    project.bundle('a', { version: '1.0.0', license: 'BlueOak-1.0.0' });
    expect(() => project.writeNotices()).toThrow(
      'a@1.0.0 has no license file. Add the text of BlueOak-1.0.0 to "texts"',
    );
    const other = new Project();
    other.bundle('@jmespath-community/jmespath', { version: '1.0.0', license: 'MPL-2.0' }, { LICENSE: 'text' });
    expect(() => other.writeNotices()).toThrow('has no "repository"');
  });

  test('unless an SPDX expression is satisfied by permissive licenses', () => {
    for (const license of ['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC']) expect(isPermissive(license)).toBe(true);
    for (const license of ['MIT AND GPL-3.0-only', '(MIT OR ISC) AND GPL-3.0-only', 'SEE LICENSE IN x', ''])
      expect(isPermissive(license)).toBe(false);
  });
});

describe('the bill of materials', () => {
  test('contains the bundled, copied and declared packages with purl, license and hash', () => {
    const project = new Project();
    const integrity = `sha512-${Buffer.from('digest').toString('base64')}`;
    project.bundle(
      '@x/a',
      { version: '1.0.0-beta+1', license: '(MIT OR GPL-3.0-only)' },
      { LICENSE: 'text' },
      { integrity },
    );
    project.bundle('native', { version: '1.0.0', ...mit });
    const { sbom, notices } = project.writeNotices();
    expect(headingsOf(notices)).toEqual(['@x/a 1.0.0-beta+1', 'native 1.0.0', 'swagger-ui-dist 5.0.0']);
    expect(purlsOf(sbom)).toEqual([
      'pkg:npm/%40x/a@1.0.0-beta%2B1',
      'pkg:npm/native@1.0.0',
      'pkg:npm/swagger-ui-dist@5.0.0',
    ]);
    expect(sbom.components.map(({ properties }) => properties.map(({ value }) => value))).toEqual([
      ['bundled'],
      ['bundled', 'dependency'],
      ['copied'],
    ]);
    expect(sbom.components[0]).toMatchObject({
      group: '@x',
      name: 'a',
      licenses: [{ expression: '(MIT OR GPL-3.0-only)' }],
      hashes: [{ alg: 'SHA-512', content: Buffer.from('digest').toString('hex') }],
    });
    expect(sbom.components[1]).not.toHaveProperty('hashes');
  });

  test('is valid CycloneDX 1.6', async () => {
    const project = new Project();
    const integrity = `sha512-${Buffer.alloc(64).toString('base64')}`;
    project.bundle('@x/a', { version: '1.0.0', ...mit }, {}, { integrity });
    const { sbomText } = project.writeNotices({ SOURCE_DATE_EPOCH: '1' });
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(sbomText)).toBeNull();
    expect(await validator.validate(sbomText.replace('SHA-512', 'SHA-513'))).not.toBeNull();
  });

  test('is reproducible', () => {
    const project = new Project();
    project.bundle('a', { version: '1.0.0', ...mit });
    const first = project.writeNotices();
    expect(project.writeNotices()).toEqual(first);
    expect(first.sbomText).not.toMatch(/serialNumber|timestamp/);
    expect(project.writeNotices({ SOURCE_DATE_EPOCH: '86400' }).sbom.metadata.timestamp).toBe(
      '1970-01-02T00:00:00.000Z',
    );
  });
});

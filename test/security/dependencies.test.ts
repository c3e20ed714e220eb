/** Licenses of the installed packages, and the files that the project publishes. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSource, root } from '../conformance/source-files.ts';

interface Locked {
  readonly license?: string;
  readonly dev?: boolean;
}

const lock = JSON.parse(readSource('package-lock.json')) as { readonly packages: Readonly<Record<string, Locked>> };
const shipped = Object.entries(lock.packages).filter(([place, { dev }]) => place !== '' && !dev);

/** Licenses that require only that their text is included. */
const allowed = [
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
  'Python-2.0',
  'CC0-1.0',
];

/** Licenses of single packages: MPL-2.0 covers only its own files, and these are used unmodified. */
const excepted = { 'node_modules/@jmespath-community/jmespath': 'MPL-2.0' };

/** Whether an SPDX expression is satisfied: one operand of OR, all operands of AND. */
function isAllowed(expression: string): boolean {
  const text = expression.replaceAll(/[()]/g, '');
  return text.split(' OR ').some((option) => option.split(' AND ').every((name) => allowed.includes(name.trim())));
}

/** From the lock file, or from the package where the lock file has no license. */
function licenseOf([place, { license }]: [string, Locked]): string | undefined {
  const manifest = path.join(root, place, 'package.json');
  if (license !== undefined || !existsSync(manifest)) return license;
  const { license: own } = JSON.parse(readSource(`${place}/package.json`)) as { license?: string };
  return own;
}

describe('installed packages', () => {
  test('have an allowed license, except the listed ones', () => {
    expect(shipped.length).toBeGreaterThan(20);
    const others = shipped.map((entry) => [entry[0], licenseOf(entry) ?? 'none'] as const);
    expect(others.filter(([, license]) => !isAllowed(license))).toEqual(Object.entries(excepted));
  });

  test('are rejected if the license is not allowed', () => {
    for (const license of ['GPL-3.0-only', 'MIT AND GPL-3.0-only', 'AGPL-3.0', 'SEE LICENSE IN x', ''])
      expect(isAllowed(license)).toBe(false);
    for (const license of ['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC']) expect(isAllowed(license)).toBe(true);
  });

  test('can be listed as a bill of materials', () => {
    const { scripts } = JSON.parse(readSource('package.json')) as { scripts: Record<string, string> };
    expect(scripts.sbom).toBe('npm sbom --sbom-format cyclonedx --omit dev --package-lock-only');
  });
});

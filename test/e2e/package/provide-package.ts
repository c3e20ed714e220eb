/** Packs the package once for all tests and installs it, so that they run what users install. Requires dist/. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Started } from '../../resources/server.ts';
import { InstalledPackage, pack, type Tarball } from './installed-package.ts';

export interface PackedPackage {
  /** For tests that need a project of their own. */
  readonly tarball: Tarball;
  /** The `iam` command of an installation that all tests share. */
  readonly command: string;
}

export async function providePackage(): Promise<Started<PackedPackage>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-packed-'));
  const tarball = await pack(folder);
  const installed = await InstalledPackage.make(tarball);
  return {
    value: { tarball, command: installed.command },
    async stop() {
      await installed[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

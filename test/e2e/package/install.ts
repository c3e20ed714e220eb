/** Packs the package once for the end-to-end tests and installs it, so that they run what users install. Requires dist/. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { TestProject } from 'vitest/node';
import { commandVariable } from '../cli-process.ts';
import { InstalledPackage, pack, type Tarball } from './installed-package.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The package, for tests that need a project of their own. */
    tarball: Tarball;
  }
}

/** A global setup of vitest: the test processes inherit the variable. @returns the cleanup */
export default async function install({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-packed-'));
  const tarball = await pack(folder);
  const installed = await InstalledPackage.make(tarball);
  process.env[commandVariable] = installed.command;
  provide('tarball', tarball);
  return async () => {
    await installed[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  };
}

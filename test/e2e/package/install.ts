/** Packs and installs the package once for the end-to-end tests, so that they run what users install. Requires dist/. */
import process from 'node:process';
import { commandVariable } from '../cli-process.ts';
import { PackedPackage } from './packed-package.ts';

/** A global setup of vitest: the test processes inherit the variable. @returns the cleanup */
export default async function install(): Promise<() => Promise<void>> {
  const installed = await PackedPackage.make();
  process.env[commandVariable] = installed.command;
  return () => installed[Symbol.asyncDispose]();
}

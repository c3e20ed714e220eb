/** Provides a Chromium to the tests of the console. They are skipped, with the reason, if none starts. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { TestProject } from 'vitest/node';
import { type Chromium, findChromium } from './find-chromium.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Undefined if the tests are skipped. */
    chromium: Chromium | undefined;
  }
}

/** The global setup of the tests. CI sets IAM_TEST_CONSOLE=required: then a missing browser fails. */
export default async function provideChromium(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-chromium-'));
  try {
    project.provide('chromium', await findChromium(folder));
  } catch (error) {
    if (process.env.IAM_TEST_CONSOLE === 'required') throw error;
    process.stderr.write(`The tests of the console are skipped: no Chromium starts: ${(error as Error).message}\n`);
    project.provide('chromium', undefined);
  }
  return () => rm(folder, { recursive: true, force: true });
}

/** Provides a Chromium to the tests of the console. They are skipped, with the reason, if none starts. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Started } from '../../../test/resources/server.ts';
import { type Chromium, findChromium } from './find-chromium.ts';

/** CI sets IAM_TEST_CONSOLE=required: then a missing browser fails. */
export async function provideChromium(): Promise<Started<Chromium | undefined>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-chromium-'));
  const stop = () => rm(folder, { recursive: true, force: true });
  try {
    return { value: await findChromium(folder), stop };
  } catch (error) {
    if (process.env.IAM_TEST_CONSOLE === 'required') throw error;
    process.stderr.write(`The tests of the console are skipped: no Chromium starts: ${(error as Error).message}\n`);
    return { value: undefined, stop };
  }
}

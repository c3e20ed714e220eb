/**
 * Finds a Chromium for the tests of the console: the path in IAM_TEST_CHROMIUM, one of the system, or else the one of the
 * package @sparticuz/chromium (always with IAM_TEST_CHROMIUM=package), unpacked into a temporary folder. The tests are
 * skipped, with the reason, if none starts.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { TestProject } from 'vitest/node';

export interface Chromium {
  readonly program: string;
  /** Additional variables of its environment. */
  readonly env: Readonly<Record<string, string>>;
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** Undefined if the tests are skipped. */
    chromium: Chromium | undefined;
  }
}

const systemPrograms = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The global setup of the tests. CI sets IAM_TEST_CONSOLE=required: then a missing browser fails. */
export default async function provideChromium(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-chromium-'));
  try {
    const found = await findChromium(folder);
    const env = { ...process.env, ...found.env };
    execFileSync(found.program, ['--version', '--headless', '--no-sandbox'], { stdio: 'pipe', timeout: 30_000, env });
    project.provide('chromium', found);
  } catch (error) {
    if (process.env.IAM_TEST_CONSOLE === 'required') throw error;
    process.stderr.write(`The tests of the console are skipped: no Chromium starts: ${(error as Error).message}\n`);
    project.provide('chromium', undefined);
  }
  return () => rm(folder, { recursive: true, force: true });
}

async function findChromium(folder: string): Promise<Chromium> {
  const configured = process.env.IAM_TEST_CHROMIUM ?? '';
  if (configured === 'package') return unpackChromium(folder);
  const program = configured === '' ? systemPrograms.find((file) => existsSync(file)) : configured;
  return program === undefined ? unpackChromium(folder) : { program, env: {} };
}

/** Variables that the package reads and sets. */
const packageVariables = ['TMPDIR', 'VERCEL', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH'];

/** The package unpacks its libraries only if it takes the machine for one of a certain host, and into TMPDIR only. */
async function unpackChromium(folder: string): Promise<Chromium> {
  const before = packageVariables.map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, { TMPDIR: folder, VERCEL: '1' });
  try {
    const { default: chromium } = await import('@sparticuz/chromium');
    const program = await chromium.executablePath();
    const { LD_LIBRARY_PATH = '', FONTCONFIG_PATH = '' } = process.env;
    // Its own fonts lack characters that text fields need.
    return { program, env: { LD_LIBRARY_PATH, ...(existsSync('/etc/fonts') ? {} : { FONTCONFIG_PATH }) } };
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/**
 * Finds a Chromium: the path in IAM_TEST_CHROMIUM, one of the system, or else the one of the package @sparticuz/chromium
 * (always with IAM_TEST_CHROMIUM=package), unpacked into a folder.
 */
import { existsSync } from 'node:fs';
import process from 'node:process';

export interface Chromium {
  readonly program: string;
  /** Additional variables of its environment. */
  readonly env: Readonly<Record<string, string>>;
}

const systemPrograms = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** @param folder an empty folder, which the browser needs as long as it runs */
export async function findChromium(folder: string): Promise<Chromium> {
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

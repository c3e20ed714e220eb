/**
 * Finds a Chromium that starts: the one of the package @sparticuz/chromium, the same on all machines, or else one of the
 * system. IAM_TEST_CHROMIUM names another one.
 */
import { execFileSync } from 'node:child_process';
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

/**
 * @param folder an empty folder, which the browser needs as long as it runs
 * @throws Error if none starts
 */
export async function findChromium(folder: string): Promise<Chromium> {
  const configured = process.env.IAM_TEST_CHROMIUM ?? '';
  if (configured !== '') return assertStarts({ program: configured, env: {} });
  try {
    return assertStarts(await unpackChromium(folder));
  } catch (error) {
    const program = systemPrograms.find((file) => existsSync(file));
    if (program === undefined) throw error;
    return assertStarts({ program, env: {} });
  }
}

function assertStarts(chromium: Chromium): Chromium {
  const env = { ...process.env, ...chromium.env };
  execFileSync(chromium.program, ['--version', '--headless', '--no-sandbox'], { stdio: 'pipe', timeout: 30_000, env });
  return chromium;
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

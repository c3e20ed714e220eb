/** Runs completion in this process, with a timeout that the test controls. */
import { PassThrough, Readable } from 'node:stream';
import { hiddenCompleteCommand } from '../../../src/cli/commands/completion/hidden-command.ts';
import { complete } from '../../../src/cli/completion/complete.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { drainStream } from '../drain-stream.ts';

export const breaks = ' \t\n"\'@><=;|&(:';

export interface CompletionSetup {
  readonly variables?: Readonly<Record<string, string>>;
  readonly limit?: AbortSignal;
  readonly now?: () => number;
  readonly folder?: string;
}

export interface CompletionResult {
  readonly kind: string;
  readonly values: readonly string[];
  /** Descriptions by value. */
  readonly texts: Readonly<Record<string, string | undefined>>;
}

/** Returns the candidates for the last of these words. */
export async function listCompletions(
  words: readonly string[],
  setup: CompletionSetup = {},
): Promise<CompletionResult> {
  const [kind = '', ...lines] = await runComplete(['--', ...words], setup);
  const pairs = lines.map((line) => line.split('\t')).map(([value = '', text]) => [value, text] as const);
  return { kind, values: pairs.map(([value]) => value), texts: Object.fromEntries(pairs) };
}

/** Returns what bash inserts into a line that ends at the cursor. */
export async function listBashCompletions(line: string, setup: CompletionSetup = {}): Promise<readonly string[]> {
  const lines = (await runComplete(['bash', breaks, line], setup)).slice(1);
  return lines.map((one) => one.split('\t')[0] ?? '');
}

async function runComplete(
  args: readonly string[],
  { variables = {}, limit, now, folder }: CompletionSetup,
): Promise<string[]> {
  const [stdout, stderr] = [new PassThrough({ highWaterMark: 10_000_000 }), new PassThrough()];
  const never = new AbortController().signal;
  const io = { stdin: Readable.from([]), stdout, stderr, signal: never, releaseSignals: () => undefined };
  const emptyFolders = { XDG_CONFIG_HOME: '/nonexistent/config', XDG_CACHE_HOME: '/dev/null/cache' };
  const environment = {
    variables: { ...emptyFolders, ...variables },
    now: now ?? (() => 1_800_000_000_000),
    random: () => 0,
    workingFolder: () => folder,
  };
  await complete({ io, environment, manifest, limit: () => limit ?? never }, args);
  if (stderr.readableLength > 0)
    throw new Error(`${hiddenCompleteCommand} wrote to standard error: ${drainStream(stderr)}`);
  return drainStream(stdout).replace(/\n$/, '').split('\n');
}

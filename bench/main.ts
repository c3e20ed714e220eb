/** `npm run bench`: measures the built service and compares it with floors measured in the same run. See docs/bench.md. */
import { execFileSync } from 'node:child_process';
import { BenchEnvironment } from './environment.ts';
import { type Figure, formatTable, isReached } from './figure.ts';
import { burstFigures } from './figures/burst.ts';
import { commandFigures } from './figures/command.ts';
import { consoleFigures } from './figures/console.ts';
import { requestKinds } from './figures/request-kinds.ts';
import { blockFigures, memoryFigures } from './figures/resources.ts';
import { secondFactorFigures } from './figures/second-factor.ts';
import { snapshotFigures } from './figures/snapshots.ts';
import { startFigures } from './figures/start.ts';
import { throughput } from './figures/throughput.ts';
import { userLoginFigures } from './figures/user-login.ts';
import { appendHistory, createRecords, formatHistory, readHistory } from './history.ts';
import { type NodeBinary, probeNode } from './node-binary.ts';
import { type BenchOptions, formatUsage, parseOptions } from './options.ts';
import { coreCount, describeCores, pinDriver, root } from './processes.ts';

type MeasureFigures = (bench: BenchEnvironment, nodes: readonly NodeBinary[]) => Promise<Figure[]>;

/** The order matters: memory and blocks cover everything measured before. */
const measures = new Map<string, MeasureFigures>([
  ['start', startFigures],
  ...requestKinds.map((kind): [string, MeasureFigures] => [kind.name, (bench) => throughput(bench, kind)]),
  ['user-login', userLoginFigures],
  ['burst', burstFigures],
  ['second-factor', secondFactorFigures],
  ['state', snapshotFigures],
  ['memory', memoryFigures],
  ['block', blockFigures],
  ['console', consoleFigures],
  ['cli', commandFigures],
]);

const names = [...measures.keys()];

async function runMeasures(
  names: readonly string[],
  { nodes, databaseUrl }: Pick<Measurement, 'nodes' | 'databaseUrl'>,
): Promise<Figure[]> {
  const bench = new BenchEnvironment(databaseUrl);
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const figures: Figure[] = [];
  try {
    for (const [name, run] of measures) {
      if (!names.includes(name) || interrupted.signal.aborted) continue;
      process.stderr.write(`measuring ${name}\n`);
      figures.push(...(await run(bench, nodes)));
    }
  } finally {
    await bench.close();
  }
  return figures;
}

function formatFigures(figures: readonly Figure[], json: boolean): string {
  const cores = describeCores();
  if (!json) return `${formatTable(figures)}\nNode ${process.version}, ${cores}\n`;
  const values = figures.map((figure) => ({ ...figure, reached: isReached(figure) }));
  return `${JSON.stringify({ node: process.version, cores, figures: values }, null, 2)}\n`;
}

/** Appends the figures to a file, with the current date and commit. */
function record(file: string, figures: readonly Figure[], commit: string): void {
  const date = new Date().toISOString().slice(0, 10);
  appendHistory(file, createRecords(figures, { date, commit, node: process.versions.node, cores: coreCount }));
}

/** Returns the commit of the project, with the suffix -dirty if a file that is part of the build differs from it. */
function readCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const changes = git('status', '--porcelain', '--', 'src', 'bin', 'scripts', 'package-lock.json');
  return `${git('rev-parse', '--short=7', 'HEAD')}${changes === '' ? '' : '-dirty'}`;
}

interface Measurement {
  readonly options: BenchOptions;
  readonly nodes: readonly NodeBinary[];
  readonly commit: string;
  /** For --store postgres. */
  readonly databaseUrl: string | undefined;
}

/** With a database only requests are measured: start, memory and commands do not depend on it. */
function selectMeasures({ only, store }: BenchOptions): readonly string[] {
  const requests = [...requestKinds.map(({ name }) => name), 'user-login'];
  return store === 'file' ? only : only.filter((name) => requests.includes(name));
}

function findDatabaseUrl({ store }: BenchOptions): string | undefined {
  const url = process.env.IAM_DATABASE_URL;
  if (store === 'postgres' && !url) throw new Error('--store postgres requires IAM_DATABASE_URL');
  return store === 'postgres' ? url : undefined;
}

/** Reads everything that can be wrong before the measurement, which takes minutes. */
function prepare(options: BenchOptions): Measurement {
  const commit = options.record === undefined ? '' : readCommit();
  return { options, nodes: options.node.map(probeNode), commit, databaseUrl: findDatabaseUrl(options) };
}

async function measure({ options, nodes, commit, databaseUrl }: Measurement): Promise<void> {
  pinDriver();
  const measured = await runMeasures(selectMeasures(options), { nodes, databaseUrl });
  // The targets are those of the embedded store.
  const figures = databaseUrl === undefined ? measured : measured.map(({ target: _, ...figure }) => figure);
  process.stdout.write(formatFigures(figures, options.json));
  if (options.record !== undefined) record(options.record, figures, commit);
  if (options.check && figures.some((figure) => isReached(figure) === false)) process.exitCode = 1;
}

/** Prints the help or the history. @returns the measurement to run, if the arguments request one */
function readRequest(args: readonly string[]): Measurement | undefined {
  try {
    const options = parseOptions(args, names);
    if (!options.help && options.history === undefined) return prepare(options);
    process.stdout.write(options.help ? formatUsage(names) : formatHistory(readHistory(options.history ?? '')));
  } catch (error) {
    process.stderr.write(`error: ${(error as Error).message}\n`);
    process.exitCode = 2;
  }
  return undefined;
}

const measurement = readRequest(process.argv.slice(2));
if (measurement) await measure(measurement);

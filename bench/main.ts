/** `npm run bench`: measures the built service and compares it with floors measured in the same run. See docs/bench.md. */
import { execFileSync } from 'node:child_process';
import { BenchEnvironment } from './environment.ts';
import { type Figure, formatTable, isReached } from './figure.ts';
import { burstFigures } from './figures/burst.ts';
import { commandFigures } from './figures/command.ts';
import { consoleFigures } from './figures/console.ts';
import { databaseFigures } from './figures/database.ts';
import { growthFigures } from './figures/growth.ts';
import { millionFigures } from './figures/million.ts';
import { requestKinds } from './figures/request-kinds.ts';
import { blockFigures, memoryFigures } from './figures/resources.ts';
import { secondFactorFigures } from './figures/second-factor.ts';
import { serverFigures } from './figures/servers.ts';
import { singleWriterFigures } from './figures/single-writer.ts';
import { snapshotFigures } from './figures/snapshots.ts';
import { startFigures } from './figures/start.ts';
import { throughput } from './figures/throughput.ts';
import { userLoginFigures } from './figures/user-login.ts';
import { appendHistory, createRecords, formatHistory, readHistory } from './history.ts';
import { type NodeBinary, probeNode } from './node-binary.ts';
import { type BenchOptions, formatUsage, parseOptions } from './options.ts';
import { coreCount, describeCores, pinDriver, root } from './processes.ts';

/** Those that run only if they are named: they take minutes and gigabytes of the disk. */
const optionalMeasures = ['million', 'growth'];

type MeasureFigures = (bench: BenchEnvironment, nodes: readonly NodeBinary[]) => Promise<Figure[]>;

/** The order matters: memory and blocks cover everything measured before. */
const measures = new Map<string, MeasureFigures>([
  ['start', startFigures],
  ...requestKinds.map((kind): [string, MeasureFigures] => [kind.name, (bench) => throughput(bench, kind)]),
  ['single-writer', singleWriterFigures],
  ['user-login', userLoginFigures],
  ['burst', burstFigures],
  ['second-factor', secondFactorFigures],
  ['state', snapshotFigures],
  ['memory', memoryFigures],
  ['block', blockFigures],
  ['console', consoleFigures],
  ['cli', commandFigures],
  ['million', millionFigures],
  ['growth', growthFigures],
]);

/** Those that need a database. */
const databaseMeasures = new Map<string, MeasureFigures>([
  ['database', databaseFigures],
  ['servers', serverFigures],
]);

const names = [...measures.keys(), ...databaseMeasures.keys()];

async function runMeasures(
  names: readonly string[],
  { nodes, databaseUrl }: Pick<Measurement, 'nodes' | 'databaseUrl'>,
): Promise<Figure[]> {
  const bench = new BenchEnvironment(databaseUrl);
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const figures: Figure[] = [];
  try {
    for (const [name, run] of [...measures, ...databaseMeasures]) {
      if (!names.includes(name) || interrupted.signal.aborted) continue;
      process.stderr.write(`measuring ${name}\n`);
      const measured = await run(bench, nodes);
      // The targets of requests are those of the embedded store.
      figures.push(...(databaseUrl !== undefined && measures.has(name) ? measured.map(dropTarget) : measured));
    }
  } finally {
    await bench.close();
  }
  return figures;
}

function dropTarget({ target: _, ...figure }: Figure): Figure {
  return figure;
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
  readonly selected: readonly string[];
  readonly nodes: readonly NodeBinary[];
  readonly commit: string;
  /** For --store postgres. */
  readonly databaseUrl: string | undefined;
}

/** Start, memory and commands do not depend on a database. @throws Error if nothing is left */
function selectMeasures({ only, store }: BenchOptions): readonly string[] {
  const requests = [...requestKinds.map(({ name }) => name), 'user-login'];
  const available = store === 'file' ? [...measures.keys()] : [...requests, ...databaseMeasures.keys()];
  const selected = only.filter((name) => available.includes(name));
  if (selected.length === 0) throw new Error(`with --store ${store}, --only is one of ${available.join(', ')}`);
  return selected;
}

function findDatabaseUrl({ store }: BenchOptions): string | undefined {
  const url = process.env.IAM_DATABASE_URL;
  if (store === 'postgres' && !url) throw new Error('--store postgres requires IAM_DATABASE_URL');
  return store === 'postgres' ? url : undefined;
}

/** Reads everything that can be wrong before the measurement, which takes minutes. */
function prepare(options: BenchOptions): Measurement {
  const commit = options.record === undefined ? '' : readCommit();
  return {
    options,
    selected: selectMeasures(options),
    nodes: options.node.map(probeNode),
    commit,
    databaseUrl: findDatabaseUrl(options),
  };
}

async function measure({ options, selected, nodes, commit, databaseUrl }: Measurement): Promise<void> {
  pinDriver();
  const figures = await runMeasures(selected, { nodes, databaseUrl });
  process.stdout.write(formatFigures(figures, options.json));
  if (options.record !== undefined) record(options.record, figures, commit);
  if (options.check && figures.some((figure) => isReached(figure) === false)) process.exitCode = 1;
}

/** Prints the help or the history. @returns the measurement to run, if the arguments request one */
function readRequest(args: readonly string[]): Measurement | undefined {
  try {
    const options = parseOptions(args, names, optionalMeasures);
    if (!options.help && options.history === undefined) return prepare(options);
    process.stdout.write(
      options.help ? formatUsage(names, optionalMeasures) : formatHistory(readHistory(options.history ?? '')),
    );
  } catch (error) {
    process.stderr.write(`error: ${(error as Error).message}\n`);
    process.exitCode = 2;
  }
  return undefined;
}

const measurement = readRequest(process.argv.slice(2));
if (measurement) await measure(measurement);

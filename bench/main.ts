/** `npm run bench`: measures the built service and compares it with floors measured in the same run. See docs/bench.md. */
import { BenchEnvironment } from './environment.ts';
import { type Figure, formatTable, isReached } from './figure.ts';
import { besideFigures } from './figures/beside.ts';
import { commandFigures } from './figures/command.ts';
import { comparisonFigures } from './figures/comparison.ts';
import { consoleFigures } from './figures/console.ts';
import { longTransactionFigures } from './figures/long-transactions.ts';
import { millionFigures } from './figures/million.ts';
import { requestKinds } from './figures/request-kinds.ts';
import { rowFigures } from './figures/rows.ts';
import { serverFigures } from './figures/servers.ts';
import { snapshotFigures } from './figures/snapshots.ts';
import { startFigures } from './figures/start.ts';
import { throughput } from './figures/throughput.ts';
import { type BenchOptions, formatUsage, parseOptions } from './options.ts';
import { describeCores, pinDriver } from './processes.ts';

/** Those that run only if they are named: they take minutes, and gigabytes of the disk or other packages. */
const optionalMeasures = ['million', 'comparison', 'long-transactions'];

type MeasureFigures = (bench: BenchEnvironment) => Promise<Figure[]>;

const measures = new Map<string, MeasureFigures>([
  ['start', startFigures],
  ...requestKinds.map((kind): [string, MeasureFigures] => [kind.name, (bench) => throughput(bench, kind)]),
  ['state', snapshotFigures],
  ['beside', besideFigures],
  ['console', consoleFigures],
  ['cli', commandFigures],
  ['rows', rowFigures],
  ['million', millionFigures],
  ['comparison', comparisonFigures],
]);

/** Those that need a database. */
const databaseMeasures = new Map<string, MeasureFigures>([
  ['servers', serverFigures],
  ['long-transactions', longTransactionFigures],
]);

const requestNames = requestKinds.map(({ name }) => name);

const names = [...measures.keys(), ...databaseMeasures.keys()];

async function runMeasures({ selected, databaseUrl }: Measurement): Promise<Figure[]> {
  const bench = new BenchEnvironment(databaseUrl);
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const figures: Figure[] = [];
  try {
    for (const [name, run] of [...measures, ...databaseMeasures]) {
      if (!selected.includes(name) || interrupted.signal.aborted) continue;
      process.stderr.write(`measuring ${name}\n`);
      const measured = await run(bench);
      // The targets of requests are those of the embedded store.
      figures.push(...(databaseUrl !== undefined && requestNames.includes(name) ? measured.map(dropTarget) : measured));
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

interface Measurement {
  readonly options: BenchOptions;
  readonly selected: readonly string[];
  /** For --store postgres. */
  readonly databaseUrl: string | undefined;
}

/** Start, memory and commands do not depend on a database. @throws Error if nothing is left */
function selectMeasures({ only, store }: BenchOptions): readonly string[] {
  const available = store === 'file' ? [...measures.keys()] : [...requestNames, 'beside', ...databaseMeasures.keys()];
  const selected = only.filter((name) => available.includes(name));
  if (selected.length === 0) throw new Error(`with --store ${store}, --only is one of ${available.join(', ')}`);
  return selected;
}

function findDatabaseUrl({ store }: BenchOptions): string | undefined {
  const url = process.env.IAM_DATABASE_URL;
  if (store === 'postgres' && !url) throw new Error('--store postgres requires IAM_DATABASE_URL');
  return store === 'postgres' ? url : undefined;
}

async function measure(measurement: Measurement): Promise<void> {
  const { options } = measurement;
  pinDriver();
  const figures = await runMeasures(measurement);
  process.stdout.write(formatFigures(figures, options.json));
  if (options.check && figures.some((figure) => isReached(figure) === false)) process.exitCode = 1;
}

/** Prints the help, or reads everything that can be wrong before the measurement, which takes minutes. */
function readRequest(args: readonly string[]): Measurement | undefined {
  try {
    const options = parseOptions(args, names, optionalMeasures);
    if (!options.help) return { options, selected: selectMeasures(options), databaseUrl: findDatabaseUrl(options) };
    process.stdout.write(formatUsage(names, optionalMeasures));
  } catch (error) {
    process.stderr.write(`error: ${(error as Error).message}\n`);
    process.exitCode = 2;
  }
  return undefined;
}

const measurement = readRequest(process.argv.slice(2));
if (measurement) await measure(measurement);

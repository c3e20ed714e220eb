/** `npm run bench`: measures the built service and compares it with floors measured in the same run. See docs/bench.md. */
import { parseArgs } from 'node:util';
import { BenchEnvironment } from './environment.ts';
import { type Figure, formatTable, isReached } from './figure.ts';
import { burstFigures } from './figures/burst.ts';
import { commandFigures } from './figures/command.ts';
import { requestKinds } from './figures/request-kinds.ts';
import { blockFigures, memoryFigures } from './figures/resources.ts';
import { secondFactorFigures } from './figures/second-factor.ts';
import { snapshotFigures } from './figures/snapshots.ts';
import { startFigures } from './figures/start.ts';
import { throughput } from './figures/throughput.ts';
import { userLoginFigures } from './figures/user-login.ts';
import { describeCores, pinDriver } from './processes.ts';

type MeasureFigures = (bench: BenchEnvironment) => Promise<Figure[]>;

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
  ['cli', commandFigures],
]);

const usage = `usage: npm run bench -- [--only NAME]... [--json] [--check]

  --only   one of ${[...measures.keys()].join(', ')}; repeatable
  --json   print the figures as JSON
  --check  exit with code 1 when a target is missed
`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [...measures.keys()] },
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

async function runMeasures(names: readonly string[]): Promise<Figure[]> {
  const bench = new BenchEnvironment();
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const figures: Figure[] = [];
  try {
    for (const [name, run] of measures) {
      if (!names.includes(name) || interrupted.signal.aborted) continue;
      process.stderr.write(`measuring ${name}\n`);
      figures.push(...(await run(bench)));
    }
  } finally {
    await bench.close();
  }
  return figures;
}

function print(figures: readonly Figure[]): void {
  const cores = describeCores();
  const text = options.json
    ? `${JSON.stringify({ node: process.version, cores, figures: figures.map((figure) => ({ ...figure, reached: isReached(figure) })) }, null, 2)}\n`
    : `${formatTable(figures)}\nNode ${process.version}, ${cores}\n`;
  process.stdout.write(text);
}

const unknown = options.only.filter((name) => !measures.has(name));
if (options.help || unknown.length > 0) {
  process.stderr.write(usage);
  process.exitCode = options.help ? 0 : 2;
} else {
  pinDriver();
  const figures = await runMeasures(options.only);
  print(figures);
  if (options.check && figures.some((figure) => isReached(figure) === false)) process.exitCode = 1;
}

/**
 * The time from the start of a process to its ready server: of `iam serve`, without the monitor and without an administrator
 * password, whose verification would add one hash, and of the library.
 */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BenchEnvironment, sizes } from '../environment.ts';
import { type Duration, type Figure, multipleFigure, timeFigure } from '../figure.ts';
import { nodeOn, root } from '../processes.ts';
import { median } from '../statistics.ts';
import { measureCommand } from './command.ts';

const rounds = 15;
const largeRounds = 3;
const limits = { serve: 4, library: 6, largeMs: 3_000 } as const;

export async function startFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const small = await bench.store('small');
  const figures = [
    await startFigure(bench, 'start, empty store', () => path.join(bench.emptyFolder(), 'store')),
    await startFigure(bench, `start, ${format(sizes.small)} groups`, () => small),
    libraryFigure(bench),
  ];
  const large = await bench.store('large');
  const starts: Duration[] = [];
  for (let round = 0; round < largeRounds; round += 1) starts.push(await measureStart(bench, large));
  const wallMs = median(starts.map((start) => start.wallMs));
  return [...figures, timeFigure(`start, ${format(sizes.large)} groups`, wallMs, { atMost: limits.largeMs })];
}

const format = (size: number) => size.toLocaleString('en');

/** Measures starts and their floor in turn, after one that fills the compile cache. */
async function startFigure(bench: BenchEnvironment, name: string, findFolder: () => string): Promise<Figure> {
  const [ours, floor]: [Duration[], Duration[]] = [[], []];
  await measureStart(bench, findFolder());
  for (let round = 0; round < rounds; round += 1) {
    floor.push(measureFloor(bench));
    ours.push(await measureStart(bench, findFolder()));
  }
  return multipleFigure(name, ours, floor, limits.serve);
}

async function measureStart(bench: BenchEnvironment, folder: string): Promise<Duration> {
  const server = await bench.startUnmonitored(folder);
  await server.stop();
  return server.start;
}

function measureFloor(bench: BenchEnvironment): Duration {
  return measureCommand(nodeOn('server', ['-e', '0']), bench.environment);
}

/** The import of the library and a server in memory. */
function libraryFigure(bench: BenchEnvironment): Figure {
  const library = JSON.stringify(pathToFileURL(path.join(root, 'dist/index.js')));
  const script = `import(${library}).then(({ startServer }) => startServer()).then(() => process.exit())`;
  const [ours, floor]: [Duration[], Duration[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    floor.push(measureFloor(bench));
    ours.push(measureCommand(nodeOn('server', ['-e', script]), bench.environment));
  }
  return multipleFigure('startServer() with import', ours, floor, limits.library);
}

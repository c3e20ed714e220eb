/**
 * The time from the start of the process to its ready line, without the monitor and without an administrator password,
 * whose verification would add one hash.
 */

import { type BenchEnvironment, sizes } from '../environment.ts';
import { type Figure, timeFigure } from '../figure.ts';
import { nodeOn } from '../processes.ts';
import { median } from '../statistics.ts';
import { measureCommand } from './command.ts';

const limits = { small: 500, large: 3_000 } as const;
const times = { small: 5, large: 3 } as const;

export async function startFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of ['small', 'large'] as const) figures.push(await startFigure(bench, size));
  return figures;
}

async function startFigure(bench: BenchEnvironment, size: keyof typeof limits): Promise<Figure> {
  const folder = await bench.store(size);
  const floors: number[] = [];
  const ours: number[] = [];
  for (let time = 0; time < times[size]; time += 1) {
    floors.push(measureCommand(nodeOn('server', ['-e', '0']), bench.environment).wallMs);
    const server = await bench.startUnmonitored(folder);
    ours.push(server.startMs);
    await server.stop();
  }
  return timeFigure(`start, ${sizes[size].toLocaleString('en')} groups`, median(ours), {
    floor: `${median(floors).toFixed(0)} ms`,
    atMost: limits[size],
  });
}

/** The cost of requests and rows in stores with a million groups and a million users, compared with 1,000 groups. */
import type { BenchEnvironment, Size } from '../environment.ts';
import { type Figure, ratioFigure } from '../figure.ts';
import { millionUsers } from '../names.ts';
import { requestKinds } from './request-kinds.ts';
import { comparedStores } from './throughput.ts';

const base = 'small';
const minRatio = 0.9;
/** Both stores have 100,000 memberships, of which each is a row as well. */
const grown = [
  { size: 'million', name: '1,000,000 groups', unit: 'group', rows: 1_000_000, maxBytes: 500 },
  { size: 'users', name: '1,000,000 users', unit: 'user', rows: millionUsers, maxBytes: 900 },
] as const satisfies readonly { readonly size: Size; readonly [other: string]: unknown }[];

export async function growthFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const figures: Figure[] = [];
  const baseBytes = await readHeap(bench, base);
  for (const { size, name, unit, rows, maxBytes } of grown) {
    const perRow = ((await readHeap(bench, size)) - baseBytes) / rows;
    figures.push({
      name: `heap per ${unit}`,
      ours: `${perRow.toFixed(0)} B`,
      floor: '',
      result: perRow,
      unit: 'bytes',
      target: { atMost: maxBytes },
    });
    for (const kind of requestKinds.filter(({ sizes }) => sizes.includes(base))) {
      const rates = await comparedStores(bench, kind, { size, base });
      figures.push(ratioFigure(`${kind.name}, ${name}`, rates.ours, rates.base, minRatio));
    }
  }
  return figures;
}

/** The heap of the server before its first requests, after a garbage collection. */
async function readHeap(bench: BenchEnvironment, size: Size): Promise<number> {
  const { server } = await bench.server(size);
  await server.resume();
  return (await server.query('collect')).heapBytes ?? Number.NaN;
}

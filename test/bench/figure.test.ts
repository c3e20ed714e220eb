import { expect, test } from 'vitest';
import { formatTable, overheadFigure } from '../../bench/figure.ts';

/** Durations that were half waiting. */
const durations = (...wallMs: readonly number[]) => wallMs.map((time) => ({ wallMs: time, cpuMs: time / 2 }));

test('the figure of a command is the median of the differences within each round, and the mean of CPU times', () => {
  const figure = overheadFigure('iam --help', durations(90, 60, 200), durations(50, 30, 100));
  expect(figure).toMatchObject({ ours: '90 ms', floor: '50 ms', result: 40 });
  expect(figure.byCpu).toBeCloseTo((350 - 180) / 3 / 2);
});

test('a table shows each figure in aligned columns, and whether it reaches its target', () => {
  const command = { ...overheadFigure('iam --help', durations(90), durations(50)), target: { atMost: 30 } };
  const ratio = {
    name: 'get',
    ours: '2/s',
    floor: '5/s',
    result: 0.4,
    unit: 'ratio',
    target: { atLeast: 0.3 },
  } as const;
  expect(formatTable([command, ratio])).toBe(
    [
      'figure       ours  floor   result   by cpu    target',
      'iam --help  90 ms  50 ms  40.0 ms  20.0 ms  <= 30 ms  MISSED',
      'get           2/s    5/s    0.400            >= 0.30      ok',
      '',
    ].join('\n'),
  );
});

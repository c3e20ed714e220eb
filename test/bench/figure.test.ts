import { expect, test } from 'vitest';
import { formatTable, multipleFigure, overheadFigure } from '../../bench/figure.ts';

/** Durations that were half waiting. */
const durations = (...wallMs: readonly number[]) => wallMs.map((time) => ({ wallMs: time, cpuMs: time / 2 }));

test('the figure of a command is the median of the differences within each round, and the mean of CPU times', () => {
  const figure = overheadFigure('iam --help', durations(90, 60, 200), durations(50, 30, 100));
  expect(figure).toMatchObject({ ours: '90 ms', floor: '50 ms', result: 40 });
  expect(figure.byCpu).toBeCloseTo((350 - 180) / 3 / 2);
});

test('the figure of a start is the multiple of the CPU time of its floor, or of the time where there is none', () => {
  const [ours, floor] = [durations(900, 300), durations(50, 150)];
  expect(multipleFigure('start', ours, floor, 4)).toMatchObject({
    ours: '600 ms',
    floor: '100 ms',
    result: 6,
    byCpu: 6,
  });
  const withoutCpu = ours.map(({ wallMs }) => ({ wallMs, cpuMs: Number.NaN }));
  expect(multipleFigure('start', withoutCpu, floor, 4)).toMatchObject({ result: 6, target: { atMost: 4 } });
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

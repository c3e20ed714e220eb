import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { formatTable, overheadFigure } from '../../bench/figure.ts';
import { appendHistory, createRecords, formatHistory, type HistoryRecord, readHistory } from '../../bench/history.ts';

const run = { date: '2026-11-22', commit: 'abc1234', node: '20.20.2', cores: 2 };

function historyFile(): string {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'iam-history-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return path.join(directory, 'history.jsonl');
}

/** Durations that were half waiting. */
const durations = (...wallMs: readonly number[]) => wallMs.map((time) => ({ wallMs: time, cpuMs: time / 2 }));

function recordOf(resultMs: number, more: Partial<HistoryRecord> = {}): HistoryRecord {
  const times = { floorMs: 40, oursMs: 40 + resultMs, result: resultMs, byCpu: resultMs / 2 };
  return { ...run, figure: 'iam --help', ...times, unit: 'ms', ...more };
}

describe('the figure of a command', () => {
  test('is the median of the differences within each round, and the mean of CPU times', () => {
    const figure = overheadFigure('iam --help', durations(90, 60, 200), durations(50, 30, 100));
    expect(figure).toMatchObject({ ours: '90 ms', floor: '50 ms', result: 40, times: { oursMs: 90, floorMs: 50 } });
    expect(figure.byCpu).toBeCloseTo((350 - 180) / 3 / 2);
  });

  test('is shown with its version of Node', () => {
    const figure = {
      ...overheadFigure('iam --help', durations(90), durations(50)),
      node: '24.1.0',
      target: { atMost: 30 },
    };
    expect(formatTable([figure])).toMatch(
      /iam --help \(Node 24\.1\.0\) +90 ms +50 ms +40\.0 ms +20\.0 ms +<= 30 ms +MISSED/,
    );
  });
});

describe('the history', () => {
  test('is a file with one JSON line per figure', () => {
    const file = historyFile();
    const timed = { ...overheadFigure('iam --help', durations(90.12345), durations(50)), node: '24.1.0' };
    const ratio = { name: 'get', ours: '2/s', floor: '5/s', result: 0.4, unit: 'ratio' } as const;
    appendHistory(file, createRecords([timed], run));
    appendHistory(file, createRecords([ratio], run));
    expect(readFileSync(file, 'utf8')).toBe(
      '{"date":"2026-11-22","commit":"abc1234","node":"24.1.0","cores":2,"figure":"iam --help","floorMs":50,"oursMs":90.123,"result":40.123,"byCpu":20.062,"unit":"ms"}\n' +
        '{"date":"2026-11-22","commit":"abc1234","node":"20.20.2","cores":2,"figure":"get","result":0.4,"unit":"ratio"}\n',
    );
    expect(readHistory(file)).toEqual([...createRecords([timed], run), ...createRecords([ratio], run)]);
  });

  test('with a broken line is rejected with the number of the line', () => {
    const file = historyFile();
    writeFileSync(file, `${JSON.stringify(recordOf(1))}\n{"date":\n`);
    expect(() => readHistory(file)).toThrow(`${file}:2 is not a JSON record`);
  });

  test('is shown as the medians of each commit, by figure and version of Node', () => {
    const table = formatHistory([
      recordOf(10),
      recordOf(99, { node: '24.1.0' }),
      recordOf(90),
      recordOf(20),
      recordOf(30, { commit: 'def5678', date: '2026-11-23' }),
      { ...run, figure: 'get', result: 0.4, unit: 'ratio' },
    ]);
    expect(table).toBe(
      [
        'figure      node     date        commit   runs    floor     ours   result   by cpu',
        'iam --help  20.20.2  2026-11-22  abc1234     3  40.0 ms  60.0 ms  20.0 ms  10.0 ms',
        'iam --help  20.20.2  2026-11-23  def5678     1  40.0 ms  70.0 ms  30.0 ms  15.0 ms',
        'iam --help  24.1.0   2026-11-22  abc1234     1  40.0 ms   139 ms  99.0 ms  49.5 ms',
        'get         20.20.2  2026-11-22  abc1234     1                      0.400',
        '',
      ].join('\n'),
    );
  });
});

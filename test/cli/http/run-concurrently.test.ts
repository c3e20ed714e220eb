import { describe, expect, test } from 'vitest';
import { runConcurrently } from '../../../src/cli/http/run-concurrently.ts';

const never = () => false;

/** Ten thousand rows, and the number of rows that are read and not yet reported. */
function countedRows(total: number) {
  const seen = { read: 0, reported: 0, max: 0 };
  async function* rows() {
    for (let row = 0; row < total; row += 1) {
      seen.read += 1;
      seen.max = Math.max(seen.max, seen.read - seen.reported);
      yield row;
    }
  }
  return { seen, rows: rows() };
}

const turnOfLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('concurrent tasks', () => {
  test('hold only rows in progress in memory', async () => {
    const { seen, rows } = countedRows(10_000);
    const results = new Set<number>();
    const work = async (row: number) => {
      if (row % 7 === 0) await turnOfLoop();
      return row;
    };
    for await (const row of runConcurrently(rows, 8, work, never)) {
      results.add(row);
      seen.reported += 1;
    }
    expect(results.size).toBe(10_000);
    expect(seen.max).toBeLessThanOrEqual(9);
  });

  test('start none while results are not consumed', async () => {
    const { seen, rows } = countedRows(10_000);
    const results = runConcurrently(rows, 4, async (row) => row, never);
    await results.next();
    for (let turn = 0; turn < 100; turn += 1) await turnOfLoop();
    expect(seen.read).toBe(4);
    await results.return();
    expect(seen.read).toBe(4);
  });

  test('finish tasks in progress after a failure or the end of the run and start no more', async () => {
    const { seen, rows } = countedRows(100);
    let finished = 0;
    const work = async (row: number) => {
      if (row === 1) throw new Error('the disk is full');
      await turnOfLoop();
      finished += 1;
      return row;
    };
    const run = async () => {
      for await (const _ of runConcurrently(rows, 3, work, never)) seen.reported += 1;
    };
    await expect(run()).rejects.toThrow('the disk is full');
    expect([seen.read, finished]).toEqual([3, 2]);
    const other = countedRows(100);
    let isOver = false;
    const done: number[] = [];
    for await (const row of runConcurrently(
      other.rows,
      3,
      async (row) => row,
      () => isOver,
    )) {
      done.push(row);
      isOver = true;
    }
    expect([done.sort(), other.seen.read]).toEqual([[0, 1, 2], 3]);
  });
});

import { expect, test } from 'vitest';
import { Progress } from '../../../src/cli/bulk/progress.ts';
import type { OutputStream } from '../../../src/cli/io/io.ts';

function draw(
  columns: number,
  steps: readonly (readonly [state: 'ok' | 'failed' | 'unknown', elapsed: number])[],
): string {
  let now = 0;
  const written: string[] = [];
  const stream = { isTTY: true, columns, writable: true, write: (text: string) => written.push(text) > 0 };
  const progress = new Progress(stream as unknown as OutputStream, 2_000, () => now, false);
  for (const [state, elapsed] of steps) {
    now += elapsed;
    progress.increment(state);
  }
  return (written.at(-1) ?? '').replace('\r', '').replace('\u001b[K', '');
}

test('shows counts, rate and time left', () => {
  expect(
    draw(100, [
      ['ok', 500],
      ['failed', 250],
      ['unknown', 250],
      ['ok', 1_000],
    ]),
  ).toBe('[                        ] 4 of 2000 rows, 1 failed, 1 unknown, 2.0/s, 17 min left');
});

test('leaves out the bar where the line does not fit, and is cut at the width of the terminal', () => {
  const steps = [
    ['ok', 500],
    ['failed', 250],
    ['unknown', 1_000],
  ] as const;
  expect(draw(60, steps)).toBe('3 of 2000 rows, 1 failed, 1 unknown, 1.7/s, 20 min left');
  expect(draw(20, steps)).toBe('3 of 2000 rows, 1 f');
});

test('redraws at most four times a second', () => {
  expect(
    draw(60, [
      ['ok', 300],
      ['ok', 100],
      ['ok', 100],
    ]),
  ).toContain('1 of 2000 rows');
});

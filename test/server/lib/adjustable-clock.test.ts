import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAdjustableClock } from '../../../src/server/lib/adjustable-clock.ts';
import { parseDuration } from '../../../src/server/lib/durations.ts';
import { createIds } from '../../../src/server/lib/ids.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { createFakeClock } from '../../harness.ts';

const start = '2026-03-01T12:00:00.000Z';

function clocks() {
  const source = createFakeClock(start);
  const clock = createAdjustableClock(source);
  return { source, clock, currentTime: () => clock.now().toISOString() };
}

describe('an adjustable clock', () => {
  test('follows its source until it is adjusted, and after a reset', () => {
    const { source, clock, currentTime } = clocks();
    expect(clock.state()).toEqual({ now: new Date(start), frozen: false, offset: 0 });
    clock.advance(5000);
    clock.freeze();
    source.advance(60);
    clock.reset();
    expect(currentTime()).toBe('2026-03-01T12:01:00.000Z');
    source.advance(60);
    expect(clock.state()).toEqual({ now: new Date('2026-03-01T12:02:00.000Z'), frozen: false, offset: 0 });
  });

  test('continues from the time that was set', () => {
    const { source, clock, currentTime } = clocks();
    clock.set(new Date('2030-01-01T00:00:00.000Z'));
    source.advance(90);
    expect(currentTime()).toBe('2030-01-01T00:01:30.000Z');
    clock.advance(-3_600_000);
    expect(currentTime()).toBe('2029-12-31T23:01:30.000Z');
  });

  test('does not advance while frozen, can be set then, and continues from there', () => {
    const { source, clock, currentTime } = clocks();
    clock.freeze();
    source.advance(60);
    clock.freeze();
    expect(currentTime()).toBe(start);
    clock.advance(1000);
    source.advance(60);
    expect(clock.state()).toEqual({ now: new Date('2026-03-01T12:00:01.000Z'), frozen: true, offset: -119_000 });
    clock.unfreeze();
    source.advance(1);
    expect(currentTime()).toBe('2026-03-01T12:00:02.000Z');
  });

  test.each([Number.NaN, -1, Date.parse('3000-01-01T00:00:00Z')])('rejects %d and does not change', (time) => {
    const { clock } = clocks();
    const before = clock.state();
    expect(() => clock.set(new Date(time))).toThrow(RangeError);
    expect(() => clock.advance(time - clock.now().getTime())).toThrow(RangeError);
    expect(clock.state()).toEqual(before);
  });

  test('does not affect the order of ids', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e12, max: 1e12 }), { minLength: 2, maxLength: 20 }), (steps) => {
        const { clock } = clocks();
        const ids = createIds(clock, systemRandom);
        const created = steps.flatMap((step) => {
          clock.set(new Date(Date.parse(start) + step));
          return [ids.newId(), ids.newId()];
        });
        expect(created).toEqual([...new Set(created)].sort());
      }),
    );
  });
});

describe('a duration', () => {
  test.each([
    ['90s', 90_000],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
    ['1w', 604_800_000],
    ['250ms', 250],
    ['1h30m', 5_400_000],
    ['+1s', 1000],
    ['-1s', -1000],
    ['-1h30m', -5_400_000],
    ['0s', 0],
  ])('%s is %d ms', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  test.each(['', '10', 's', '1.5h', '1 h', '--1s', '1y', '1S', 'ten', '1234567890s', '1h-1m', `${'1s'.repeat(40)}`])(
    '%j is not a duration',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

/** The adjustable clock of one server: all its timestamps and comparisons use it. */
import type { Clock } from './clock.ts';

export interface ClockState {
  readonly now: Date;
  readonly frozen: boolean;
  /** Milliseconds ahead of the source clock; negative if behind. */
  readonly offset: number;
}

export interface AdjustableClock extends Clock {
  /** The underlying clock, which is not adjustable. */
  readonly source: Clock;
  /** Subscribes to adjustments. @returns a function that unsubscribes. */
  onAdjust(work: () => void): () => void;
  state(): ClockState;
  freeze(): void;
  /** Continues from the frozen time. */
  unfreeze(): void;
  /** Sets the time; the clock stays frozen or running. @throws RangeError outside the supported range. */
  set(time: Date): void;
  /** Advances the time by milliseconds, which may be negative. @throws RangeError. */
  advance(milliseconds: number): void;
  /** Resets to the source clock, running. */
  reset(): void;
  /** Stores the current adjustment as that of the start. */
  markStart(): void;
  /** Resets to the adjustment of the start; without one, to the source clock, running. */
  resetToStart(): void;
}

/** The range that all timestamp formats support. */
const earliest = Date.parse('1970-01-01T00:00:00.000Z');
const latest = Date.parse('2999-12-31T23:59:59.999Z');

/** Validates a clock time in epoch milliseconds. @returns an error message, or undefined if the time is valid. */
export function validateClockTime(time: number): string | undefined {
  return time >= earliest && time <= latest ? undefined : 'The clock supports the years 1970 to 2999.';
}

/** Creates an adjustable clock, which follows the source until it is adjusted. It does not affect timers. */
export function createAdjustableClock(source: Clock): AdjustableClock {
  let offset = 0;
  let frozenAt: number | undefined;
  let start: { readonly offset: number; readonly frozenAt: number | undefined } = { offset, frozenAt };
  const listeners = new Set<() => void>();
  const sourceTime = () => source.now().getTime();
  const current = () => frozenAt ?? sourceTime() + offset;

  /** Applies the change before it notifies listeners, as they read the clock. */
  function adjust(change: () => void): void {
    change();
    for (const work of listeners) work();
  }

  function moveTo(time: number): void {
    const reason = validateClockTime(time);
    if (reason !== undefined) throw new RangeError(reason);
    if (frozenAt === undefined) offset = time - sourceTime();
    else frozenAt = time;
  }

  return {
    source,
    onAdjust(work) {
      listeners.add(work);
      return () => void listeners.delete(work);
    },
    now: () => new Date(current()),
    state: () => ({ now: new Date(current()), frozen: frozenAt !== undefined, offset: current() - sourceTime() }),
    freeze: () =>
      adjust(() => {
        frozenAt = current();
      }),
    unfreeze: () =>
      adjust(() => {
        offset = current() - sourceTime();
        frozenAt = undefined;
      }),
    set: (time) => adjust(() => moveTo(time.getTime())),
    advance: (milliseconds) => adjust(() => moveTo(current() + milliseconds)),
    reset: () =>
      adjust(() => {
        offset = 0;
        frozenAt = undefined;
      }),
    markStart() {
      start = { offset, frozenAt };
    },
    resetToStart: () =>
      adjust(() => {
        ({ offset, frozenAt } = start);
      }),
  };
}

/** Captures the state of a clock. @returns a function that applies it to a new, independent clock. */
export function copyClockState(clock: AdjustableClock): (fresh: AdjustableClock) => void {
  const { now, frozen, offset } = clock.state();
  return (fresh) => {
    if (!frozen) return fresh.advance(offset);
    fresh.freeze();
    fresh.set(now);
  };
}

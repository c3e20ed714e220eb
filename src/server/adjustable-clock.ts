/** The clock of one server, which can be told another time: all that the server dates or compares goes by it. */
import type { Clock } from './clock.ts';

export interface ClockState {
  readonly now: Date;
  /** It stands still. */
  readonly frozen: boolean;
  /** Milliseconds by which it is ahead of the clock behind it; less than zero where it is behind. */
  readonly offset: number;
}

export interface AdjustableClock extends Clock {
  /** The clock behind it, which nobody adjusts. */
  readonly source: Clock;
  /** Calls this whenever it was adjusted. @returns what calls it off. */
  onAdjust(work: () => void): () => void;
  state(): ClockState;
  /** Stands still from now on. */
  freeze(): void;
  /** Goes on from where it stands. */
  unfreeze(): void;
  /** Tells this time from now on, and stands or goes on as before. @throws RangeError beyond the times it can tell. */
  set(time: Date): void;
  /** Milliseconds forward; less than zero goes back. @throws RangeError. */
  advance(milliseconds: number): void;
  /** Back to the clock behind it, going on. */
  reset(): void;
}

/** What dates in tokens and texts can say without trouble. */
const earliest = Date.parse('1970-01-01T00:00:00.000Z');
const latest = Date.parse('2999-12-31T23:59:59.999Z');

/** What is wrong with a time, given in milliseconds since the epoch, that a clock is to tell; undefined where nothing is. */
export function validateClockTime(time: number): string | undefined {
  return time >= earliest && time <= latest ? undefined : 'The clock tells the years 1970 to 2999.';
}

/** A clock over another one, which it tells until it is adjusted. Timers know nothing of it. */
export function createAdjustableClock(source: Clock): AdjustableClock {
  let offset = 0;
  let frozenAt: number | undefined;
  const listeners = new Set<() => void>();
  const sourceTime = () => source.now().getTime();
  const current = () => frozenAt ?? sourceTime() + offset;

  /** In this order: whoever is told looks at the clock. */
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
  };
}

/** Brings a fresh clock to what this one tells now, standing or going on as it does. Neither knows of the other after it. */
export function copyClockState(clock: AdjustableClock): (fresh: AdjustableClock) => void {
  const { now, frozen, offset } = clock.state();
  return (fresh) => {
    if (!frozen) return fresh.advance(offset);
    fresh.freeze();
    fresh.set(now);
  };
}

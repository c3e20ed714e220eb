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
export function timeFault(time: number): string | undefined {
  return time >= earliest && time <= latest ? undefined : 'The clock tells the years 1970 to 2999.';
}

/** A clock over another one, which it tells until it is adjusted. Timers know nothing of it. */
export function createAdjustableClock(source: Clock): AdjustableClock {
  let offset = 0;
  let frozenAt: number | undefined;
  const behind = () => source.now().getTime();
  const current = () => frozenAt ?? behind() + offset;

  function set(time: number): void {
    const reason = timeFault(time);
    if (reason !== undefined) throw new RangeError(reason);
    if (frozenAt === undefined) offset = time - behind();
    else frozenAt = time;
  }

  return {
    now: () => new Date(current()),
    state: () => ({ now: new Date(current()), frozen: frozenAt !== undefined, offset: current() - behind() }),
    freeze() {
      frozenAt = current();
    },
    unfreeze() {
      offset = current() - behind();
      frozenAt = undefined;
    },
    set: (time) => set(time.getTime()),
    advance: (milliseconds) => set(current() + milliseconds),
    reset() {
      offset = 0;
      frozenAt = undefined;
    },
  };
}

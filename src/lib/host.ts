/**
 * What the product needs of the process that runs it, copied when it is loaded. The library runs in the process of a test:
 * fake timers replace globals and the functions of `node:timers` and `node:timers/promises`, and environments such as jsdom
 * replace or remove classes. The sources import timers from here; the bundler resolves the global names of all files,
 * also of packages, to the exports of this module.
 */
import nodeBuffer from 'node:buffer';
import nodeTimers from 'node:timers';
import timersPromises from 'node:timers/promises';
import nodeUrl from 'node:url';
import nodeUtil from 'node:util';

export const { Buffer, atob, btoa } = nodeBuffer;
export const { URL, URLSearchParams } = nodeUrl;
export const { TextDecoder, TextEncoder } = nodeUtil;

/** Those of Node's buffers: in an environment with classes of its own, a buffer would be no `Uint8Array`. */
const bufferClass = Object.getPrototypeOf(Buffer.prototype).constructor as Uint8ArrayConstructor;
const memoryClass = new bufferClass(0).buffer.constructor as ArrayBufferConstructor;

export { bufferClass as Uint8Array, memoryClass as ArrayBuffer };

const { AbortController, AbortSignal } = findAbortClasses();

export { AbortController, AbortSignal };

/** Node exports them only as the classes of what this function returns. Other run times may lack it. */
function findAbortClasses() {
  try {
    const controller = nodeUtil.transferableAbortController();
    return {
      AbortController: controller.constructor as typeof globalThis.AbortController,
      AbortSignal: controller.signal.constructor as typeof globalThis.AbortSignal,
    };
  } catch {
    return { AbortController: globalThis.AbortController, AbortSignal: globalThis.AbortSignal };
  }
}

/** The environments of jest for browsers have none. What is cloned is JSON. */
export const structuredClone: typeof globalThis.structuredClone =
  globalThis.structuredClone ?? ((value: unknown) => JSON.parse(JSON.stringify(value)));

/** The contexts of jest lack the symbol on Node 20. Compilers use this one then. */
export const asyncDispose: typeof Symbol.asyncDispose =
  globalThis.Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

/** The real time: a fake class inherits from the native one, or shares its prototype. */
const realDate: DateConstructor =
  [globalThis.Date, Object.getPrototypeOf(globalThis.Date), globalThis.Date.prototype.constructor].find(isNativeDate) ??
  globalThis.Date;

export { realDate as Date };

function isNativeDate(candidate: DateConstructor): boolean {
  return /^function Date\(\) \{\s*\[native code\]/.test(Function.prototype.toString.call(candidate));
}

interface WaitOptions {
  readonly signal?: AbortSignal;
  /** False if the process may end before. Default: true. */
  readonly ref?: boolean;
}

/** Fake timers replace the methods of the scheduler, not those of its class. Bun's class has none. */
const { scheduler } = timersPromises;
const methods = 'wait' in Object.getPrototypeOf(scheduler) ? Object.getPrototypeOf(scheduler) : scheduler;
const { wait, yield: yieldTurn } = methods as typeof scheduler;

/** Resolves after some milliseconds of real time. Rejects with an AbortError when the signal aborts. */
export function pause(milliseconds: number, options?: WaitOptions): Promise<void> {
  return wait.call(scheduler, milliseconds, options);
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return yieldTurn.call(scheduler);
}

type Work = (...args: never[]) => void;

/** The subset of `NodeJS.Timeout` and `NodeJS.Immediate` that works in any run time. */
export interface TimerHandle {
  ref(): this;
  unref(): this;
  hasRef(): boolean;
}

/** A timer on the scheduler, for timers that were faked before this module was loaded. */
class SchedulerTimer implements TimerHandle {
  readonly #work: () => void;
  readonly #start: (options: Required<WaitOptions>) => Promise<void>;
  readonly #isRepeated: boolean;
  #current: AbortController | undefined;
  #hasRef = true;

  constructor(work: () => void, start: (options: Required<WaitOptions>) => Promise<void>, isRepeated = false) {
    this.#work = work;
    this.#start = start;
    this.#isRepeated = isRepeated;
    this.refresh();
  }

  refresh(): this {
    this.close();
    const current = new AbortController();
    this.#current = current;
    const end = () => {
      if (current.signal.aborted) return;
      if (this.#isRepeated) this.refresh();
      this.#work();
    };
    this.#start({ signal: current.signal, ref: this.#hasRef }).then(end, () => undefined);
    return this;
  }

  ref(): this {
    return this.#setRef(true);
  }

  /** Starts again: the scheduler takes the reference at the start only, and callers drop it at once. */
  unref(): this {
    return this.#setRef(false);
  }

  hasRef(): boolean {
    return this.#hasRef;
  }

  close(): this {
    this.#current?.abort();
    return this;
  }

  #setRef(hasRef: boolean): this {
    if (this.#hasRef === hasRef) return this;
    this.#hasRef = hasRef;
    return this.#current?.signal.aborted ? this : this.refresh();
  }
}

const schedulerTimers = {
  setTimeout: (work: Work, milliseconds = 1, ...args: never[]) =>
    new SchedulerTimer(
      () => work(...args),
      (options) => pause(milliseconds, options),
    ),
  setInterval: (work: Work, milliseconds = 1, ...args: never[]) =>
    new SchedulerTimer(
      () => work(...args),
      (options) => pause(milliseconds, options),
      true,
    ),
  setImmediate: (work: Work, ...args: never[]) => new SchedulerTimer(() => work(...args), nextTurn),
  clearTimeout: clearTimer,
  clearInterval: clearTimer,
  clearImmediate: clearTimer,
};

function clearTimer(timer: SchedulerTimer | undefined): void {
  timer?.close();
}

/** Whether the functions of `node:timers` are those of Node: fake timers lack the fields of its own. */
function areTimersReal(): boolean {
  const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = nodeTimers;
  const idle = () => undefined;
  const [timeout, interval, immediate] = [setTimeout(idle, 1), setInterval(idle, 1), setImmediate(idle)];
  const areReal = '_idleTimeout' in timeout && '_idleTimeout' in interval && '_onImmediate' in immediate;
  clearTimeout(timeout);
  clearInterval(interval);
  clearImmediate(immediate);
  return areReal;
}

export const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = (
  areTimersReal() ? { ...nodeTimers } : schedulerTimers
) as typeof nodeTimers;

/** Fake timers can replace the global, which no module of Node exports. */
export function queueMicrotask(work: () => void): void {
  void Promise.resolve().then(work);
}

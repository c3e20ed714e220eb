/** Faults on demand: what a call asks for itself (RFC 7240, Prefer), and what rules do to it. */
import { type ErrorCode, fault, IamError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { answerableErrors } from '../../contract/operation-errors.ts';
import type { Principal } from '../identity/principal.ts';
import { systemTimer, type Timer } from '../ports/timer.ts';
import {
  type Effect,
  type LiveRule,
  liveRule,
  type Rule,
  type RuleInput,
  shownRule,
  takesTurn,
} from './fault-rules.ts';

/** Several rules together make nobody wait longer. */
const longestWaitMs = 60_000;
export const mostRules = 100;

/** What the rules do to one call. */
export interface Disturbance {
  /** For the header and the journal: which rule did what. */
  readonly text: string;
  readonly waitMs: number;
  readonly error: IamError | undefined;
  readonly drop: Effect['drop'];
  readonly rotateKey: boolean;
}

export interface Preferred {
  readonly status: number;
  readonly error: IamError;
  readonly text: string;
}

export interface Faults {
  /** The failure that the value of a Prefer header asks for, where the operation documents it. */
  preferred(prefer: string, operation: Operation<never>): Preferred | undefined;
  /** What rules do to this call. Asked once a call: it counts. */
  disturbanceOf(operation: Operation<never>, caller: Principal | undefined): Disturbance | undefined;
  /** What a rule does to this call for the key set, for the header: the set before is then given. It counts. */
  staleKeys(): string | undefined;
  /** Resolves after so many milliseconds, or once the caller has gone. */
  wait(milliseconds: number, gone: AbortSignal): Promise<void>;
  list(): readonly Rule[];
  /** @throws IamError TOO_MANY_FAULTS, TEST_FEATURES_OFF. */
  add(rule: RuleInput): Rule;
  /** False where there is no such rule. */
  remove(id: string): boolean;
  clear(): void;
}

/** Where test features are off nothing is injected, whatever a request prefers. */
export function createFaults(timer: Timer = systemTimer, isEnabled = true): Faults {
  let rules: readonly LiveRule[] = [];
  let made = 0;
  return {
    preferred(prefer, operation) {
      if (!isEnabled) return undefined;
      const [, digits] = /(?:^|[,;\s])code\s*=\s*"?(\d{3})"?\s*(?:$|[,;])/i.exec(prefer) ?? [];
      const status = Number(digits);
      const error = failureWith(status, operation);
      return error && { status, error, text: `prefer status=${status}` };
    },
    disturbanceOf(operation, caller) {
      if (rules.length === 0) return undefined;
      const fired = rules.filter((rule) => isFor(rule.input, operation, caller) && takesTurn(rule));
      return fired.length === 0 ? undefined : together(fired, operation);
    },
    staleKeys() {
      const fired = rules.filter(({ input }) => input.effect.staleKeys === true).filter(takesTurn);
      return fired.length === 0 ? undefined : wordsOfAll(fired);
    },
    wait: (milliseconds, gone) => waitFor(timer, milliseconds, gone),
    list: () => rules.map(shownRule),
    add(input) {
      if (!isEnabled) throw fault('TEST_FEATURES_OFF');
      if (rules.length >= mostRules) throw fault('TOO_MANY_FAULTS');
      made += 1;
      const rule = liveRule(`f${made}`, input);
      rules = [...rules, rule];
      return shownRule(rule);
    },
    remove(id) {
      const left = rules.filter((rule) => rule.id !== id);
      const isRemoved = left.length < rules.length;
      rules = left;
      return isRemoved;
    },
    clear() {
      rules = [];
    },
  };
}

function isFor(
  { operation: id, caller: name, effect }: RuleInput,
  operation: Operation<never>,
  caller: Principal | undefined,
): boolean {
  if (effect.staleKeys === true || (id !== undefined && id !== operation.id)) return false;
  if (name !== undefined && name !== caller?.client.clientId && name !== caller?.user?.userId) return false;
  return effect.status === undefined || codeFor(effect.status, operation) !== undefined;
}

/** All that fired: the waits add up, of the rest the first counts. */
function together(fired: readonly LiveRule[], operation: Operation<never>): Disturbance {
  const effects = fired.map(({ input, random }) => ({ ...input.effect, extra: (input.effect.jitter ?? 0) * random() }));
  const wait = effects.reduce((sum, { latency = 0, extra }) => sum + latency + extra, 0);
  const status = effects.find((effect) => effect.status !== undefined)?.status;
  return {
    text: wordsOfAll(fired),
    waitMs: Math.min(longestWaitMs, Math.round(wait)),
    error: status === undefined ? undefined : failureWith(status, operation),
    drop: effects.find((effect) => effect.drop !== undefined)?.drop,
    rotateKey: effects.some((effect) => effect.rotateKey === true),
  };
}

function wordsOfAll(fired: readonly LiveRule[]): string {
  return fired.map(({ id, input }) => `${id} ${wordsOf(input.effect)}`).join(', ');
}

function wordsOf({ status, latency, drop, rotateKey, staleKeys }: Effect): string {
  if (status !== undefined) return `status=${status}`;
  if (latency !== undefined) return `latency=${latency}ms`;
  if (staleKeys === true) return 'stale-keys';
  return rotateKey === true ? 'rotate-key' : `drop=${drop}`;
}

function failureWith(status: number, operation: Operation<never>): IamError | undefined {
  const code = codeFor(status, operation);
  if (!code) return undefined;
  const isTransient = status === 429 || status === 503;
  const details = isTransient ? { retryAfter: 1 } : undefined;
  return new IamError([{ code, details }], isTransient ? { headers: { 'Retry-After': '1' } } : {});
}

/** What any operation may answer without listing it, and no code of its own leads to. */
const always: readonly (readonly [number, ErrorCode])[] = [
  [408, 'REQUEST_TIMEOUT'],
  [413, 'BODY_TOO_LARGE'],
  [415, 'CONTENT_TYPE_UNSUPPORTED'],
  [429, 'TOO_MANY_ATTEMPTS'],
  [431, 'HEADERS_TOO_LARGE'],
  [500, 'INTERNAL'],
  [503, 'STORE_UNAVAILABLE'],
];

/** A code with which the operation answers this status: one of its own first, since those are what callers tell apart. */
export function codeFor(status: number, operation: Operation<never>): ErrorCode | undefined {
  const answers = answerableErrors(operation);
  const own = operation.errors.find((code) => answers.get(code) === status);
  const found = status < 400 ? undefined : (own ?? [...answers].find(([, answered]) => answered === status)?.[0]);
  return found ?? always.find(([one]) => one === status)?.[1];
}

function waitFor(timer: Timer, milliseconds: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) return resolve();
    const done = () => {
      callOff();
      gone.removeEventListener('abort', done);
      resolve();
    };
    const callOff = timer.after(milliseconds, done);
    gone.addEventListener('abort', done);
  });
}

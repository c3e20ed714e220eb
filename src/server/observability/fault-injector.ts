/** Faults on demand: what a call asks for itself (RFC 7240, Prefer), and what rules do to it. */
import { apiError, type ErrorCode, IamError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { listOperationErrors } from '../../contract/operation-errors.ts';
import type { Principal } from '../identity/principal.ts';
import { systemTimer, type Timer } from '../integrations/timer.ts';
import {
  type ActiveFaultRule,
  activateRule,
  type FaultEffect,
  type FaultRule,
  type FaultRuleInput,
  registerMatch,
  toFaultRule,
} from './fault-rules.ts';

/** Several rules together make nobody wait longer. */
const maxWaitMs = 60_000;
export const maxFaultRules = 100;

/** What the rules do to one call. */
export interface InjectedFault {
  /** For the header and the journal: which rule did what. */
  readonly text: string;
  readonly waitMs: number;
  readonly error: IamError | undefined;
  readonly drop: FaultEffect['drop'];
  readonly rotateKey: boolean;
}

export interface PreferredError {
  readonly status: number;
  readonly error: IamError;
  readonly text: string;
}

export interface FaultInjector {
  /** The failure that the value of a Prefer header asks for, where the operation documents it. */
  parsePrefer(prefer: string, operation: Operation<never>): PreferredError | undefined;
  /** What rules do to this call. Asked once a call: it counts. */
  matchOperation(operation: Operation<never>, caller: Principal | undefined): InjectedFault | undefined;
  /** What a rule does to this call for the key set, for the header: the set before is then given. It counts. */
  matchKeySet(): string | undefined;
  /** Resolves after so many milliseconds, or once the caller has gone. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  list(): readonly FaultRule[];
  /** @throws IamError TOO_MANY_FAULTS, TEST_FEATURES_OFF. */
  add(rule: FaultRuleInput): FaultRule;
  /** False where there is no such rule. */
  remove(id: string): boolean;
  clear(): void;
}

/** Where test features are off nothing is injected, whatever a request prefers. */
export function createFaultInjector(timer: Timer = systemTimer, isEnabled = true): FaultInjector {
  let rules: readonly ActiveFaultRule[] = [];
  let lastNumber = 0;
  return {
    parsePrefer(prefer, operation) {
      if (!isEnabled) return undefined;
      const [, digits] = /(?:^|[,;\s])code\s*=\s*"?(\d{3})"?\s*(?:$|[,;])/i.exec(prefer) ?? [];
      const status = Number(digits);
      const error = createFailure(status, operation);
      return error && { status, error, text: `prefer status=${status}` };
    },
    matchOperation(operation, caller) {
      if (rules.length === 0) return undefined;
      const matching = rules.filter((rule) => matchesRule(rule.input, operation, caller) && registerMatch(rule));
      return matching.length === 0 ? undefined : combineRules(matching, operation);
    },
    matchKeySet() {
      const matching = rules.filter(({ input }) => input.effect.staleKeys === true).filter(registerMatch);
      return matching.length === 0 ? undefined : formatRules(matching);
    },
    wait: (milliseconds, signal) => waitFor(timer, milliseconds, signal),
    list: () => rules.map(toFaultRule),
    add(input) {
      if (!isEnabled) throw apiError('TEST_FEATURES_OFF');
      if (rules.length >= maxFaultRules) throw apiError('TOO_MANY_FAULTS');
      lastNumber += 1;
      const rule = activateRule(`f${lastNumber}`, input);
      rules = [...rules, rule];
      return toFaultRule(rule);
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

function matchesRule(
  { operation: id, caller: name, effect }: FaultRuleInput,
  operation: Operation<never>,
  caller: Principal | undefined,
): boolean {
  if (effect.staleKeys === true || (id !== undefined && id !== operation.id)) return false;
  if (name !== undefined && name !== caller?.client.clientId && name !== caller?.user?.userId) return false;
  return effect.status === undefined || findErrorCode(effect.status, operation) !== undefined;
}

/** All that fired: the waits add up, of the rest the first counts. */
function combineRules(matching: readonly ActiveFaultRule[], operation: Operation<never>): InjectedFault {
  const effects = matching.map(({ input, random }) => ({
    ...input.effect,
    extra: (input.effect.jitter ?? 0) * random(),
  }));
  const wait = effects.reduce((sum, { latency = 0, extra }) => sum + latency + extra, 0);
  const status = effects.find((effect) => effect.status !== undefined)?.status;
  return {
    text: formatRules(matching),
    waitMs: Math.min(maxWaitMs, Math.round(wait)),
    error: status === undefined ? undefined : createFailure(status, operation),
    drop: effects.find((effect) => effect.drop !== undefined)?.drop,
    rotateKey: effects.some((effect) => effect.rotateKey === true),
  };
}

function formatRules(matching: readonly ActiveFaultRule[]): string {
  return matching.map(({ id, input }) => `${id} ${formatEffect(input.effect)}`).join(', ');
}

function formatEffect({ status, latency, drop, rotateKey, staleKeys }: FaultEffect): string {
  if (status !== undefined) return `status=${status}`;
  if (latency !== undefined) return `latency=${latency}ms`;
  if (staleKeys === true) return 'stale-keys';
  return rotateKey === true ? 'rotate-key' : `drop=${drop}`;
}

function createFailure(status: number, operation: Operation<never>): IamError | undefined {
  const code = findErrorCode(status, operation);
  if (!code) return undefined;
  const isTransient = status === 429 || status === 503;
  const details = isTransient ? { retryAfter: 1 } : undefined;
  return new IamError([{ code, details }], isTransient ? { headers: { 'Retry-After': '1' } } : {});
}

/** What any operation may answer without listing it, and no code of its own leads to. */
const universalErrors: readonly (readonly [number, ErrorCode])[] = [
  [408, 'REQUEST_TIMEOUT'],
  [413, 'BODY_TOO_LARGE'],
  [415, 'CONTENT_TYPE_UNSUPPORTED'],
  [429, 'TOO_MANY_ATTEMPTS'],
  [431, 'HEADERS_TOO_LARGE'],
  [500, 'INTERNAL'],
  [503, 'STORE_UNAVAILABLE'],
];

/** A code with which the operation answers this status: one of its own first, since those are what callers tell apart. */
export function findErrorCode(status: number, operation: Operation<never>): ErrorCode | undefined {
  const answers = listOperationErrors(operation);
  const own = operation.errors.find((code) => answers.get(code) === status);
  const found = status < 400 ? undefined : (own ?? [...answers].find(([, answered]) => answered === status)?.[0]);
  return found ?? universalErrors.find(([one]) => one === status)?.[1];
}

function waitFor(timer: Timer, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = timer.after(milliseconds, done);
    signal.addEventListener('abort', done);
  });
}

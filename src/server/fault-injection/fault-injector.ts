/** Fault injection: errors that a request itself requests (Prefer, RFC 7240), and fault rules. */
import { apiError, type ErrorCode, IamError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { listOperationErrors } from '../../contract/operation-errors.ts';
import { isNamedBy, type Principal } from '../directory/principal.ts';
import { systemTimer, type Timer } from '../lib/timer.ts';
import {
  type ActiveFaultRule,
  activateRule,
  type FaultEffect,
  type FaultRule,
  type FaultRuleInput,
  registerMatch,
  toFaultRule,
} from './fault-rules.ts';

/** Max total delay of all rules that match a request. */
const maxWaitMs = 60_000;
const maxFaultRules = 100;

/** The combined effect of rules on one request. */
export interface InjectedFault {
  /** For the header and the request log: which rule did what. */
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
  /** Returns the error that a Prefer header requests, if the operation documents it. */
  parsePrefer(prefer: string, operation: Operation<never>): PreferredError | undefined;
  /** Returns the effect of the rules on this request. Counts the match: call it once per request. */
  matchOperation(operation: Operation<never>, caller: Principal | undefined): InjectedFault | undefined;
  /** Returns the header text if a rule makes this request for the key set return stale keys. Counts the match. */
  matchKeySet(): string | undefined;
  /** Resolves after a delay, or when the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  list(): readonly FaultRule[];
  /** @throws IamError TOO_MANY_FAULTS, TEST_FEATURES_OFF. */
  add(rule: FaultRuleInput): FaultRule;
  /** Returns false if no rule has this id. */
  remove(id: string): boolean;
  clear(): void;
}

interface FaultInjectorOptions {
  readonly timer?: Timer | undefined;
  /** Without test features: injects nothing and ignores Prefer. */
  readonly isEnabled?: boolean;
  /** Called after each change of the rules. */
  onChange?(): void;
}

export function createFaultInjector({
  timer = systemTimer,
  isEnabled = true,
  onChange = () => undefined,
}: FaultInjectorOptions = {}): FaultInjector {
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
      onChange();
      return toFaultRule(rule);
    },
    remove(id) {
      const remaining = rules.filter((rule) => rule.id !== id);
      const isRemoved = remaining.length < rules.length;
      rules = remaining;
      if (isRemoved) onChange();
      return isRemoved;
    },
    clear() {
      rules = [];
      onChange();
    },
  };
}

function matchesRule(
  { operation: id, caller: name, effect }: FaultRuleInput,
  operation: Operation<never>,
  caller: Principal | undefined,
): boolean {
  if (effect.staleKeys === true || (id !== undefined && id !== operation.id)) return false;
  if (name !== undefined && !(caller && isNamedBy(caller, name))) return false;
  return effect.status === undefined || findErrorCode(effect.status, operation) !== undefined;
}

/** Combines the matching rules: delays add up; for other effects the first rule applies. */
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

/** Errors that any operation may return without declaring them. */
const universalErrors: readonly (readonly [number, ErrorCode])[] = [
  [408, 'REQUEST_TIMEOUT'],
  [413, 'BODY_TOO_LARGE'],
  [415, 'CONTENT_TYPE_UNSUPPORTED'],
  [429, 'TOO_MANY_ATTEMPTS'],
  [431, 'HEADERS_TOO_LARGE'],
  [500, 'INTERNAL'],
  [503, 'STORE_UNAVAILABLE'],
];

/** Returns an error code that the operation returns with this status; prefers codes that the operation declares. */
function findErrorCode(status: number, operation: Operation<never>): ErrorCode | undefined {
  const statusByCode = listOperationErrors(operation);
  const own = operation.errors.find((code) => statusByCode.get(code) === status);
  const found = status < 400 ? undefined : (own ?? [...statusByCode].find(([, returned]) => returned === status)?.[0]);
  return found ?? universalErrors.find(([universal]) => universal === status)?.[1];
}

/** Returns the statuses that a rule can inject into any of the operations, ascending. */
export function listInjectableStatuses(operations: readonly Operation<never>[]): number[] {
  const statuses = new Set(
    operations.flatMap((operation) => [
      ...[...listOperationErrors(operation).values()].filter((status) => status >= 400),
      ...universalErrors.map(([status]) => status),
    ]),
  );
  return [...statuses].sort((one, other) => one - other);
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

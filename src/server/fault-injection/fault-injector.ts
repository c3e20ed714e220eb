/** Fault injection: errors that a request itself requests (Prefer, RFC 7240), and fault rules. */
import { apiError, type ErrorCode, IamError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { listOperationErrors } from '../../contract/operation-errors.ts';
import {
  type FaultAuthorization,
  type FaultTarget,
  faultTargets,
  formatEffect,
} from '../../contract/testing/fault-effects.ts';
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
  /** The error that the operation documents for the status of a rule. */
  readonly error: IamError | undefined;
  /** For a status that it does not document, or a redirect. */
  readonly gateway: GatewayResponse | undefined;
  readonly body: FaultEffect['body'];
  readonly drop: FaultEffect['drop'];
  readonly rotateKey: boolean;
  readonly staleKeys: boolean;
  readonly missingKey: boolean;
}

export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
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
  /** Returns the first rule that changes the response of this request at the redirect URI. Counts the match. */
  matchAuthorization(
    operation: Operation<never>,
    caller: Principal | undefined,
  ): { readonly kind: FaultAuthorization; readonly text: string } | undefined;
  /** Returns the effect of the rules on this request for a document. Counts the match. */
  matchDocument(target: FaultTarget): InjectedFault | undefined;
  /** Resolves after a delay, or when the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Ends all waits, including later ones. */
  end(): void;
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
  const waits = createWaits(timer);
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
      const matching = rules.filter(
        (rule) =>
          rule.input.effect.authorization === undefined &&
          matchesRule(rule.input, operation, caller) &&
          registerMatch(rule),
      );
      return matching.length === 0 ? undefined : combineRules(matching, operation);
    },
    matchAuthorization(operation, caller) {
      const matching = rules.find(
        (rule) =>
          rule.input.effect.authorization !== undefined &&
          matchesRule(rule.input, operation, caller) &&
          registerMatch(rule),
      );
      const kind = matching?.input.effect.authorization;
      return matching && kind && { kind, text: `${matching.id} ${formatEffect(matching.input.effect)}` };
    },
    matchDocument(target) {
      const matching = rules.filter((rule) => rule.input.target === target && registerMatch(rule));
      return matching.length === 0 ? undefined : combineRules(matching);
    },
    wait: (milliseconds, signal) => waits.wait(milliseconds, signal),
    end: waits.end,
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
  { operation: id, target, caller: name }: FaultRuleInput,
  operation: Operation<never>,
  caller: Principal | undefined,
): boolean {
  if (id !== undefined && id !== operation.id) return false;
  if (target !== undefined && !listTargetOperations(target).includes(operation.id)) return false;
  return name === undefined || (caller !== undefined && isNamedBy(caller, name));
}

function listTargetOperations(target: FaultTarget): readonly string[] {
  const entry = faultTargets[target];
  return 'operations' in entry ? entry.operations : [];
}

/** Combines the matching rules: delays add up; for other effects the first rule applies. */
function combineRules(matching: readonly ActiveFaultRule[], operation?: Operation<never>): InjectedFault {
  const effects = matching.map(({ input, random }) => ({
    ...input.effect,
    extra: (input.effect.jitter ?? 0) * random(),
  }));
  const wait = effects.reduce((sum, { latency = 0, extra }) => sum + latency + extra, 0);
  const failing = effects.find(({ status, redirect }) => status !== undefined || redirect !== undefined);
  const error =
    failing?.status === undefined ? undefined : createFailure(failing.status, operation, failing.retryAfter);
  return {
    text: formatRules(matching),
    waitMs: Math.min(maxWaitMs, Math.round(wait)),
    error,
    gateway: failing && !error ? toGatewayResponse(failing) : undefined,
    body: (failing ?? effects.find(({ body }) => body !== undefined))?.body,
    drop: effects.find((effect) => effect.drop !== undefined)?.drop,
    rotateKey: effects.some((effect) => effect.rotateKey === true),
    staleKeys: effects.some((effect) => effect.staleKeys === true),
    missingKey: effects.some((effect) => effect.missingKey === true),
  };
}

function toGatewayResponse({ status = 302, redirect, retryAfter }: FaultEffect): GatewayResponse {
  const headers = {
    ...(redirect === undefined ? {} : { Location: redirect }),
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
  };
  return { status, headers };
}

function formatRules(matching: readonly ActiveFaultRule[]): string {
  return matching.map(({ id, input }) => `${id} ${formatEffect(withUnits(input.effect))}`).join(', ');
}

function withUnits({ latency, jitter, ...others }: FaultEffect): object {
  return {
    ...others,
    ...(latency === undefined ? {} : { latency: `${latency}ms` }),
    ...(jitter ? { jitter: `${jitter}ms` } : {}),
  };
}

function createFailure(status: number, operation?: Operation<never>, retryAfter?: number): IamError | undefined {
  const code = operation && findErrorCode(status, operation);
  if (!code) return undefined;
  const seconds = retryAfter ?? (status === 429 || status === 503 ? 1 : undefined);
  if (seconds === undefined) return new IamError([{ code }]);
  return new IamError([{ code, details: { retryAfter: seconds } }], { headers: { 'Retry-After': String(seconds) } });
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

/** Waits of requests, which end early when their client disconnects and when the server stops. */
function createWaits(timer: Timer) {
  const pending = new Set<() => void>();
  let isEnded = false;
  return {
    wait: (milliseconds: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (isEnded || signal.aborted) return resolve();
        const done = () => {
          cancel();
          pending.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const cancel = timer.after(milliseconds, done);
        pending.add(done);
        signal.addEventListener('abort', done);
      }),
    end() {
      isEnded = true;
      for (const done of pending) done();
    },
  };
}

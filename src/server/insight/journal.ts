/**
 * The last calls, in memory. What is kept of one are references to what was there anyway; secrets are taken out when
 * somebody looks (redact.ts), so that a call costs next to nothing.
 */
import { type ErrorCode, type ErrorItem, errorTable } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Principal } from '../identity/principal.ts';
import type { Reason } from '../identity/reasons.ts';

/** How a call presented itself, told by its headers alone. */
export type Credential = 'none' | 'client-id' | 'basic' | 'bearer' | 'api-key' | 'body' | 'other';

export interface Call {
  /** Later calls have greater ones. Given in place when a call is kept: a copy would take longer than all the rest. */
  sequence: number;
  readonly requestId: string;
  /** Milliseconds since the epoch, by the clock of the world. */
  readonly at: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly method: string;
  readonly path: string;
  /** The query without its question mark. */
  readonly search: string;
  /** Missing where no operation took the call. */
  readonly operation: Operation<never> | undefined;
  readonly caller: Principal | undefined;
  /** Whose call or login it was, as the log names him. */
  readonly actor: string;
  /** Missing where the connection was dropped before an answer. */
  readonly status: number | undefined;
  readonly errors: readonly ErrorItem[];
  /** The body as it was read, and its length in bytes. */
  readonly body: unknown;
  readonly bodyLength: number;
  readonly answer: string | undefined;
  readonly answerLength: number;
  /** What was done to it by a fault, in the words of the header. */
  readonly fault: string | undefined;
  /** Of a refused call: */
  readonly credential: Credential | undefined;
  readonly reason: Reason | undefined;
}

export type KeptCall = Readonly<Call>;

export interface RequestJournal {
  keep(call: Call): void;
  /** From the newest on. */
  newestFirst(): Iterable<KeptCall>;
  find(requestId: string): KeptCall | undefined;
}

/** What is longer is not kept, only how long it was. */
export const longestBody = 8 * 1024;
const mostBytes = 16 * 1024 * 1024;
/** About what an entry takes besides its texts. */
const bytesOfEntry = 600;

interface JournalParts {
  readonly calls: number;
  readonly bytes?: number;
  /** Called after each call that was kept. */
  onKept?(): void;
}

/** At most so many calls and bytes; the oldest go first. */
export function createJournal({ calls: mostCalls, bytes: most = mostBytes, onKept }: JournalParts): RequestJournal {
  // A ring: `first` is the sequence of the oldest, `next` that of the call to come.
  const ring: (KeptCall | undefined)[] = [];
  let [first, next, bytes] = [0, 0, 0];

  function forgetOldest(): void {
    const at = first % mostCalls;
    const oldest = ring[at];
    if (oldest) bytes -= sizeOf(oldest);
    ring[at] = undefined;
    first += 1;
  }

  function* newestFirst(): Iterable<KeptCall> {
    for (let sequence = next - 1; sequence >= first; sequence -= 1) {
      const call = ring[sequence % mostCalls];
      if (call) yield call;
    }
  }

  return {
    keep(call) {
      if (mostCalls === 0) return;
      const kept = withoutLong(call);
      kept.sequence = next;
      if (next - first === mostCalls) forgetOldest();
      ring[next % mostCalls] = kept;
      next += 1;
      bytes += sizeOf(kept);
      while (bytes > most && first < next) forgetOldest();
      onKept?.();
    },
    newestFirst,
    find(requestId) {
      for (const call of newestFirst()) if (call.requestId === requestId) return call;
      return undefined;
    },
  };
}

function withoutLong(call: Call): Call {
  const { bodyLength, answerLength, errors } = call;
  const areLong = lengthOf(errors) > longestBody;
  if (bodyLength <= longestBody && answerLength <= longestBody && !areLong) return call;
  return {
    ...call,
    body: bodyLength > longestBody ? undefined : call.body,
    answer: answerLength > longestBody ? undefined : call.answer,
    // A message names fields of the body, whose names the caller chooses.
    errors: areLong ? errors.map(({ code }) => ({ code, message: errorTable[code as ErrorCode].message })) : errors,
  };
}

function sizeOf({ path, search, body, bodyLength, answer, errors }: Call): number {
  const texts = path.length + search.length + (answer?.length ?? 0) + lengthOf(errors);
  return bytesOfEntry + texts + (body === undefined ? 0 : bodyLength);
}

function lengthOfDetails(details: ErrorItem['details']): number {
  return details === undefined ? 0 : JSON.stringify(details).length;
}

function lengthOf(errors: readonly ErrorItem[]): number {
  return errors.reduce(
    (sum, { code, message, details }) => sum + code.length + message.length + lengthOfDetails(details),
    0,
  );
}

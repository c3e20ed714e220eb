/**
 * The audit log: one JSON line for each authentication and administration decision, without secrets.
 * Granted events, granted events of self-service callers, and rejections have separate sinks: callers can cause any number
 * of the latter two, and these must not evict the records of administration. Repeated rejections are collapsed.
 */
import type { Timer } from '../lib/timer.ts';
import type { AuditEvent } from './event.ts';
import { maskContacts, mayContainContacts } from './mask-contacts.ts';
import { createRejectionDeduplicator } from './rejection-deduplicator.ts';
import { type AuditSequence, createAuditSequence } from './sequence.ts';

/** A destination of lines. Nothing throws or rejects: a request never fails because of it. */
export interface AuditSink {
  /** Accepts one line, including its line break. */
  write(line: string): void;
  /**
   * Resolves when the operating system has the accepted lines, so that the end of the process does not lose them. Also
   * resolves if the write fails or hangs.
   */
  flush(): Promise<void>;
  health(): AuditHealth;
  /** Resolves when all accepted lines are written or have failed. */
  close(): Promise<void>;
}

export interface AuditHealth {
  readonly writable: boolean;
  /** Number of lines lost since the start. */
  readonly lost: number;
}

/** The sinks; they can be the same object. */
export interface AuditSinks {
  readonly granted: AuditSink;
  /** Granted events of callers with `isAnyone`. */
  readonly selfService: AuditSink;
  readonly refused: AuditSink;
}

export interface AuditLog {
  /** @returns a promise if the response must wait for the line: for administrative changes. See `AuditSink.flush`. */
  record(event: AuditEvent, origin: AuditOrigin): Promise<void> | undefined;
  /** Health of all sinks combined. */
  health(): AuditHealth;
  /** Writes pending rejections and closes the sinks. */
  close(): Promise<void>;
}

export interface AuditOrigin {
  /** Repeated rejections are counted per network. */
  readonly network: string;
  /**
   * Whether anyone could be this caller: it is unauthenticated, a user without roles from groups or one that needs none for
   * the request, or any caller of a sandbox, on a loopback server only of one with its own seed.
   */
  readonly isAnyone: boolean;
}

/** @param sequence numbers the lines of repeated rejections: the list has each of these rejections by itself */
export function createAuditLog(
  { granted, selfService, refused }: AuditSinks,
  timer: Timer,
  sequence: AuditSequence = createAuditSequence(),
): AuditLog {
  const rejections = createRejectionDeduplicator((event) => {
    const isRepeated = event.repeated !== undefined;
    refused.write(formatLine(isRepeated ? { ...event, sequence: sequence.take() } : event));
  }, timer);
  const sinks = [...new Set([granted, selfService, refused])];
  return {
    record(event, origin) {
      const auditClass = classOf(event, origin);
      if (auditClass === 'refused') return void rejections.record(event, origin.network);
      const sink = auditClass === 'selfService' ? selfService : granted;
      sink.write(formatLine(event));
      return auditClass === 'granted' && event.event === 'administration' ? sink.flush() : undefined;
    },
    health() {
      const all = sinks.map((sink) => sink.health());
      return {
        writable: all.every(({ writable }) => writable),
        lost: all.reduce((sum, { lost }) => sum + lost, 0),
      };
    },
    async close() {
      rejections.stop();
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
}

/** The names of the sinks: who can cause an event. */
export type AuditClass = keyof AuditSinks;

export function classOf({ result }: AuditEvent, { isAnyone }: AuditOrigin): AuditClass {
  if (result !== 'granted') return 'refused';
  return isAnyone ? 'selfService' : 'granted';
}

/**
 * Formats an event as a line, with masked contacts; the changes, which are JSON already, are last. Escapes control
 * characters and line separators that JSON does not.
 */
function formatLine(event: AuditEvent): string {
  const unmasked = formatFields(event);
  const json = mayContainContacts(unmasked) ? formatFields(maskContacts(event)) : unmasked;
  return `${controlCharacters.test(json) ? json.replaceAll(allControlCharacters, escapeCharacter) : json}\n`;
}

function formatFields({ changesText, ...fields }: AuditEvent): string {
  const json = JSON.stringify(fields);
  return changesText === undefined ? json : `${json.slice(0, -1)},"changes":${changesText}}`;
}

const controlCharacters = /[\u007f-\u009f\u2028\u2029]/;
const allControlCharacters = new RegExp(controlCharacters, 'g');

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

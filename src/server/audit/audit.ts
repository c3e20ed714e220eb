/**
 * The audit log: one JSON line for each decision on who somebody is and on what is changed, and never a secret.
 * What was granted and what was refused go to sinks of their own: callers can make as many refusals as they like, and
 * these must not push out what tells of administration. Repeated refusals are collapsed besides.
 */
import type { Timer } from '../ports/timer.ts';
import type { AuditEvent } from './event.ts';
import { createRefusalCollapse } from './refusal-collapse.ts';

/** Where lines go. Writing never waits and never throws: calls do not depend on it. */
export interface AuditSink {
  /** Takes one line with its end. */
  write(line: string): void;
  health(): AuditHealth;
  /** Resolves when all that was taken is written, or can't be. */
  close(): Promise<void>;
}

export interface AuditHealth {
  readonly writable: boolean;
  /** Lines that were never written, since the start. */
  readonly lost: number;
}

/** One and the same where both go to one place. */
export interface AuditSinks {
  readonly granted: AuditSink;
  readonly refused: AuditSink;
}

export interface AuditLog {
  /** @param network that the call came from: repeated refusals count by it. */
  record(event: AuditEvent, network: string): void;
  /** Of both sinks together. */
  health(): AuditHealth;
  /** Writes what is still to be told. */
  close(): Promise<void>;
}

export function createAuditLog({ granted, refused }: AuditSinks, timer: Timer): AuditLog {
  const refusals = createRefusalCollapse((event) => refused.write(lineOf(event)), timer);
  const sinks = [...new Set([granted, refused])];
  return {
    record(event, network) {
      if (event.result === 'granted') granted.write(lineOf(event));
      else refusals.record(event, network);
    },
    health() {
      const all = sinks.map((sink) => sink.health());
      return {
        writable: all.every(({ writable }) => writable),
        lost: all.reduce((sum, { lost }) => sum + lost, 0),
      };
    },
    async close() {
      refusals.end();
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
}

/** The line of an event. JSON leaves some characters as they are that terminals and readers of lines obey. */
function lineOf(event: AuditEvent): string {
  const json = JSON.stringify(event);
  return `${obeyed.test(json) ? json.replaceAll(everyObeyed, escaped) : json}\n`;
}

const obeyed = /[\u007f-\u009f\u2028\u2029]/;
const everyObeyed = new RegExp(obeyed, 'g');

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

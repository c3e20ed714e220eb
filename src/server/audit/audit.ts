/**
 * The audit log: one JSON line for each decision on who somebody is and on what is changed, and never a secret.
 * What was granted, what was granted to callers that anyone may be, and what was refused go to sinks of their own: callers
 * can make as many of the latter two as they like, and these must not push out what tells of administration. Repeated
 * refusals are collapsed besides.
 */
import type { Timer } from '../integrations/timer.ts';
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

/** One and the same where all go to one place. */
export interface AuditSinks {
  readonly granted: AuditSink;
  /** Takes what was granted to callers that anyone may be. */
  readonly selfService: AuditSink;
  readonly refused: AuditSink;
}

export interface AuditLog {
  record(event: AuditEvent, origin: AuditOrigin): void;
  /** Of all sinks together. */
  health(): AuditHealth;
  /** Writes what is still to be told. */
  close(): Promise<void>;
}

export interface AuditOrigin {
  /** Repeated refusals count by it. */
  readonly network: string;
  /** Whether anyone may be this caller: it did not authenticate, or it is a user whom no group gives a role. */
  readonly isAnyone: boolean;
}

export function createAuditLog({ granted, selfService, refused }: AuditSinks, timer: Timer): AuditLog {
  const refusals = createRefusalCollapse((event) => refused.write(formatLine(event)), timer);
  const sinks = [...new Set([granted, selfService, refused])];
  return {
    record(event, { network, isAnyone }) {
      if (event.result !== 'granted') refusals.record(event, network);
      else (isAnyone ? selfService : granted).write(formatLine(event));
    },
    health() {
      const all = sinks.map((sink) => sink.health());
      return {
        writable: all.every(({ writable }) => writable),
        lost: all.reduce((sum, { lost }) => sum + lost, 0),
      };
    },
    async close() {
      refusals.stop();
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
}

/** The line of an event. JSON leaves some characters as they are that terminals and readers of lines obey. */
function formatLine(event: AuditEvent): string {
  const json = JSON.stringify(event);
  return `${controlCharacters.test(json) ? json.replaceAll(allControlCharacters, escapeCharacter) : json}\n`;
}

const controlCharacters = /[\u007f-\u009f\u2028\u2029]/;
const allControlCharacters = new RegExp(controlCharacters, 'g');

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

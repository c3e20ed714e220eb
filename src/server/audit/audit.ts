/** The audit log: one JSON line for each decision on who somebody is and on what is changed, and never a secret. */
import type { AuditEvent } from './event.ts';

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

/** The line of an event. JSON leaves some characters as they are that terminals and readers of lines obey. */
export function lineOf(event: AuditEvent): string {
  const json = JSON.stringify(event);
  return `${obeyed.test(json) ? json.replaceAll(everyObeyed, escaped) : json}\n`;
}

const obeyed = /[\u007f-\u009f\u2028\u2029]/;
const everyObeyed = new RegExp(obeyed, 'g');

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

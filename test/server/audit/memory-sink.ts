/** An audit log in memory, for tests. */
import type { AuditSink } from '../../../src/server/audit/audit.ts';
import type { StoredEvent } from '../../../src/server/audit/history.ts';

export interface MemorySink extends AuditSink {
  text(): string;
  events(): StoredEvent[];
  /** The event of the latest request. */
  last(): StoredEvent;
}

export function createMemorySink(): MemorySink {
  const lines: string[] = [];
  const events = () => lines.map((line) => JSON.parse(line) as StoredEvent);
  return {
    write: (line) => void lines.push(line),
    flush: async () => {},
    health: () => ({ writable: true, lost: 0 }),
    close: async () => {},
    text: () => lines.join(''),
    events,
    last: () => events().at(-1) as StoredEvent,
  };
}

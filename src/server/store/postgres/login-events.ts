/** Login events, which each server publishes to the others: failed logins count wherever the next attempt is made. */
import type { Random } from '../../lib/random.ts';
import type { EventJournal, JournalEvent } from '../store.ts';
import type { PrimaryConnections } from './primary-connections.ts';

const insert = {
  name: 'login_events.insert',
  text: 'insert into login_events (id, replica, body) values ($1, $2, $3)',
};
const rowsPerRead = 1_000;
const select = {
  name: 'login_events.select',
  text: `select id::text, body::text, at::text, extract(epoch from at)::text as seconds,
      extract(epoch from statement_timestamp())::text as now from login_events
    where replica <> $1 and (at, id) > ($2::timestamptz, $3::uuid) order by login_events.at, login_events.id limit ${rowsPerRead}`,
};
const lowestId = '00000000-0000-0000-0000-000000000000';
const start = {
  name: 'login_events.start',
  text: "select extract(epoch from clock_timestamp() - interval '15 minutes')::text as at",
};

/** An event becomes visible when its commit ends, which can wait for a standby: this many seconds are read again. */
const overlap = 30;

interface EventRow {
  readonly id: string;
  readonly body: string;
  readonly at: string;
  /** The same in epoch seconds. */
  readonly seconds: string;
  /** When it was read, by the same clock. */
  readonly now: string;
}

interface EventDeps {
  readonly connections: PrimaryConnections;
  readonly random: Random;
  readonly replica: string;
}

export function createEventJournal({ connections, random, replica }: EventDeps): EventJournal {
  /** When events were last read, in epoch seconds by the clock of the database. */
  let latest: number | undefined;
  let recent = new Map<string, number>();

  function takeNew(rows: readonly EventRow[]): readonly JournalEvent[] {
    const added = rows.filter(({ id }) => !recent.has(id));
    for (const { id, seconds } of added) recent.set(id, Number(seconds));
    // Not the time of the newest event: all events of a burst would be read again until a newer one comes.
    latest = Math.max(latest ?? 0, Number(rows[0]?.now ?? 0));
    const oldest = latest - 2 * overlap;
    recent = new Map([...recent].filter(([, seconds]) => seconds >= oldest));
    return added.map(({ body, seconds, now }) => ({
      event: JSON.parse(body) as unknown,
      age: Math.max(0, 1000 * (Number(now) - Number(seconds))),
    }));
  }

  return {
    async publish(event) {
      await connections.query(insert, [random.uuid(), replica, JSON.stringify(event)]);
    },
    async readNew() {
      latest ??= Number((await connections.query(start, [])).rows[0]?.at ?? 0);
      const added: JournalEvent[] = [];
      for (let after = [toTimestamp(latest - overlap), lowestId]; ; ) {
        const rows = (await connections.query(select, [replica, ...after])).rows as EventRow[];
        added.push(...takeNew(rows));
        const last = rows.at(-1);
        if (last === undefined || rows.length < rowsPerRead) return added;
        after = [last.at, last.id];
      }
    },
  };
}

function toTimestamp(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString();
}

/** Login events, which each server publishes to the others: failed logins count wherever the next attempt is made. */
import type { Random } from '../../lib/random.ts';
import type { EventJournal } from '../store.ts';
import type { PrimaryConnections } from './primary-connections.ts';

const insert = {
  name: 'login_events.insert',
  text: 'insert into login_events (id, replica, body) values ($1, $2, $3)',
};
/** An event can become visible a little later than one with a later time. */
const select = {
  name: 'login_events.select',
  text: `select id, body::text, extract(epoch from at)::text as at from login_events
    where replica <> $1 and at > to_timestamp($2::double precision) - interval '2 seconds' order by at limit 10000`,
};
const start = {
  name: 'login_events.start',
  text: "select extract(epoch from clock_timestamp() - interval '15 minutes')::text as at",
};
const sweep = { name: 'login_events.sweep', text: "delete from login_events where at < now() - interval '1 hour'" };

/** Seconds by which the select overlaps; ids of this time are remembered. */
const overlap = 2;

interface EventRow {
  readonly id: string;
  readonly body: string;
  readonly at: string;
}

interface EventDeps {
  readonly connections: PrimaryConnections;
  readonly random: Random;
  readonly replica: string;
}

export function createEventJournal({ connections, random, replica }: EventDeps): EventJournal {
  /** Epoch seconds, by the clock of the database. */
  let latest: number | undefined;
  let recent = new Map<string, number>();

  /** Of two reads at once, both may see an event; only the first returns it. */
  function takeNew(rows: readonly EventRow[]): readonly unknown[] {
    const added = rows.filter(({ id }) => !recent.has(id));
    for (const { id, at } of added) recent.set(id, Number(at));
    latest = Math.max(latest ?? 0, ...added.map(({ at }) => Number(at)));
    const oldest = latest - 2 * overlap;
    recent = new Map([...recent].filter(([, at]) => at >= oldest));
    return added.map(({ body }) => JSON.parse(body) as unknown);
  }

  return {
    async publish(event) {
      await connections.query(insert, [random.uuid(), replica, JSON.stringify(event)]);
    },
    async readNew() {
      latest ??= Number((await connections.query(start, [])).rows[0]?.at ?? 0);
      const { rows } = await connections.query(select, [replica, latest]);
      return takeNew(rows as EventRow[]);
    },
  };
}

/** Deletes events that count no more. */
export async function sweepLoginEvents(connections: PrimaryConnections): Promise<void> {
  await connections.query(sweep, []);
}

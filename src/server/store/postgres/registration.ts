/**
 * The servers that use a schema. Each has a row in `replicas`, which it renews; the clock of the rows is that of the
 * database. A server that runs alone (`--exclusive`, or a copy) keeps all others away.
 */
import type { PoolClient } from 'pg';
import type { Clock } from '../../lib/clock.ts';
import type { Stopwatch } from '../../lib/stopwatch.ts';
import type { Timer } from '../../lib/timer.ts';
import { StoreOpenError } from '../open-error.ts';
import type { StoreHealth, StoreProblem } from '../store.ts';
import type { PrimaryConnections } from './primary-connections.ts';

export interface ReplicaDescription {
  readonly name: string;
  /** The issuer of its tokens: replicas with different issuers would reject the tokens of each other. */
  readonly issuer: string;
  /** Whether no other server may use the schema at the same time. */
  readonly isExclusive: boolean;
}

export interface RegistrationDeps {
  readonly connections: PrimaryConnections;
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly timer: Timer;
}

export interface Registration {
  /** When its row expires, in milliseconds by the clock of the database; undefined for a command, which has none. */
  readonly until: number | undefined;
  /** Not writable: another server took over, this one could not renew its row, or its clock is wrong. */
  health(): StoreHealth;
  /** Why this server must not write; undefined if it may. */
  rejection(): string | undefined;
  /** Called when the database found the row expired or missing: it is renewed at once, and nothing is accepted before. */
  expire(): void;
  release(): Promise<void>;
}

/** Milliseconds. */
const duration = 30_000;
const renewalPause = 10_000;
const retryPause = 1_000;
/** Maximum difference between the clock of a replica and that of the database. */
const maxClockOffset = 2_000;

const now = 'extract(epoch from clock_timestamp()) * 1000 as now';
const returnUntil = 'floor(extract(epoch from until) * 1000)::text as until';
/** Registrations run one at a time: each must see the others. */
const lock = "insert into meta (name, value) values ('replicas lock', '') on conflict (name) do update set value = ''";
const removeExpired = 'delete from replicas where until < now()';
const listOthers = 'select name, issuer, exclusive::text from replicas where name <> $1 order by name';
const add = {
  name: 'replicas.add',
  text: `insert into replicas (name, issuer, exclusive, until)
    values ($1, $2, $3, now() + $4 * interval '1 millisecond')
    on conflict (name) do update set issuer = excluded.issuer, exclusive = excluded.exclusive, until = excluded.until
    returning ${returnUntil}`,
};
/** The name of the last server that was alone: it can have replaced all rows. */
const readLastExclusive = "select value from meta where name = 'last exclusive'";
const addExclusive =
  "insert into meta (name, value) values ('last exclusive', $1) on conflict (name) do update set value = excluded.value";
const renewal = {
  name: 'replicas.renew',
  text: `update replicas set until = now() + $2 * interval '1 millisecond' where name = $1
    returning ${now}, ${returnUntil}`,
};
const remove = { name: 'replicas.remove', text: 'delete from replicas where name = $1' };

interface OtherReplica {
  readonly name: string;
  readonly issuer: string;
  readonly exclusive: string;
}

/** For a command that sets up the store while servers may use it. */
export const noRegistration: Registration = {
  health: () => ({ writable: true }),
  until: undefined,
  rejection: () => undefined,
  expire: () => undefined,
  release: () => Promise.resolve(),
};

/** Registers this server. @throws StoreOpenError if others prevent it */
export async function registerReplica(self: ReplicaDescription, deps: RegistrationDeps): Promise<Registration> {
  const registeredAt = readMoment(deps);
  const { conflict, lastExclusive, until } = await addReplica(self, deps.connections);
  if (conflict !== undefined) throw new StoreOpenError('in-use', conflict);
  return new RenewedRegistration(self, deps, { registeredAt, lastExclusive, until });
}

/** Milliseconds. */
interface Moment {
  readonly elapsed: number;
  readonly time: number;
}

function readMoment({ stopwatch, clock }: RegistrationDeps): Moment {
  return { elapsed: stopwatch.now(), time: clock.now().getTime() };
}

interface Registered {
  readonly registeredAt: Moment;
  readonly until: number;
  readonly lastExclusive: string | undefined;
}

class RenewedRegistration implements Registration {
  readonly #self: ReplicaDescription;
  readonly #deps: RegistrationDeps;
  #renewedAt: Moment;
  #until: number;
  /** Why another server has the schema now. */
  #conflict: string | undefined;
  #clockProblem: string | undefined;
  readonly #lastExclusive: string | undefined;
  #isReleased = false;
  #isExpired = false;
  #isRenewing = false;
  #cancel = () => {};
  #renewing: Promise<void> = Promise.resolve();

  constructor(self: ReplicaDescription, deps: RegistrationDeps, { registeredAt, lastExclusive, until }: Registered) {
    this.#self = self;
    this.#deps = deps;
    this.#renewedAt = registeredAt;
    this.#until = until;
    this.#lastExclusive = lastExclusive;
    this.#schedule(renewalPause);
  }

  get until(): number {
    return this.#until;
  }

  health(): StoreHealth {
    const reason = this.rejection() ?? this.#clockProblem;
    if (reason === undefined) return { writable: true };
    return { writable: false, problem: this.#findProblem(), reason, permanent: this.#conflict !== undefined };
  }

  #findProblem(): StoreProblem {
    if (this.#conflict !== undefined) return 'used-by-another-server';
    return this.#hasExpired() ? 'registration-expired' : 'clock-offset';
  }

  rejection(): string | undefined {
    if (this.#conflict !== undefined) return this.#conflict;
    // The row may have expired, and another server may have started alone.
    return this.#hasExpired() ? 'The registration at the database has expired.' : undefined;
  }

  /** By the database, or by either clock: a stopwatch stands still while the machine is suspended, and a clock can be set back. */
  #hasExpired(): boolean {
    const { stopwatch, clock } = this.#deps;
    const { elapsed, time } = this.#renewedAt;
    return this.#isExpired || stopwatch.now() - elapsed >= duration || clock.now().getTime() - time >= duration;
  }

  expire(): void {
    this.#isExpired = true;
    if (this.#isRenewing) return;
    this.#cancel();
    this.#schedule(0);
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    this.#cancel();
    await this.#renewing;
    await this.#deps.connections.query(remove, [this.#self.name]).catch(() => undefined);
  }

  #schedule(pause: number): void {
    if (this.#isReleased || this.#conflict !== undefined) return;
    this.#cancel = this.#deps.timer.after(pause, () => {
      this.#renewing = this.#tryRenew();
    });
  }

  async #tryRenew(): Promise<void> {
    this.#isRenewing = true;
    const isRenewed = await this.#renew().then(
      () => true,
      () => false,
    );
    this.#isRenewing = false;
    this.#schedule(isRenewed ? renewalPause : retryPause);
  }

  async #renew(): Promise<void> {
    const { connections, clock } = this.#deps;
    const begin = readMoment(this.#deps);
    const sentAt = begin.time;
    const { rows } = await connections.query(renewal, [this.#self.name, duration]);
    const offset = findClockOffset(sentAt, clock.now().getTime(), rows);
    this.#clockProblem = offset === undefined ? undefined : describeClockOffset(offset);
    if (rows.length === 0) this.#conflict = await this.#addAgain();
    else this.#until = Number(rows[0]?.until);
    this.#renewedAt = begin;
    this.#isExpired = false;
  }

  /** Another server has removed the expired row. @returns why this one cannot go on */
  async #addAgain(): Promise<string | undefined> {
    const { conflict, lastExclusive, until } = await addReplica(this.#self, this.#deps.connections);
    this.#until = until;
    if (conflict !== undefined || lastExclusive === this.#lastExclusive) return conflict;
    return 'Another server has used the database alone meanwhile. Restart this one.';
  }
}

/** @throws StoreOpenError if the clock of this machine differs from that of the database */
export async function assertClock({
  connections,
  clock,
}: Pick<RegistrationDeps, 'connections' | 'clock'>): Promise<void> {
  const sentAt = clock.now().getTime();
  const { rows } = await connections.query({ name: 'replicas.clock', text: `select ${now}` }, []);
  const offset = findClockOffset(sentAt, clock.now().getTime(), rows);
  if (offset !== undefined)
    throw new StoreOpenError(
      'unavailable',
      `${describeClockOffset(offset)} Nothing was changed. Correct one of the clocks.`,
    );
}

/** The certain part of the difference of the clocks, in milliseconds, if it is too large. */
function findClockOffset(sentAt: number, receivedAt: number, rows: readonly { now?: string }[]): number | undefined {
  const databaseNow = Number(rows[0]?.now ?? sentAt);
  const offset = Math.max(sentAt - databaseNow, databaseNow - receivedAt);
  return offset > maxClockOffset ? offset : undefined;
}

function describeClockOffset(milliseconds: number): string {
  return `The clock of this machine differs from that of the database by ${(milliseconds / 1000).toFixed(1)} seconds.`;
}

interface AddResult {
  /** Why the server may not use the schema, in one line. */
  readonly conflict: string | undefined;
  readonly lastExclusive: string | undefined;
  /** 0 after a conflict. */
  readonly until: number;
}

async function addReplica(self: ReplicaDescription, connections: PrimaryConnections): Promise<AddResult> {
  const client = await connections.acquire();
  try {
    await client.query('begin');
    await client.query(lock);
    await client.query(removeExpired);
    const conflict = findConflict(self, await readOthers(client, self));
    let until = 0;
    if (conflict === undefined) {
      const added = await client.query<{ until: string }>({
        ...add,
        values: [self.name, self.issuer, self.isExclusive, duration],
      });
      until = Number(added.rows[0]?.until);
      if (self.isExclusive) await client.query(addExclusive, [self.name]);
    }
    const { rows } = await client.query<{ value: string }>(readLastExclusive);
    await client.query('commit');
    client.release();
    return { conflict, lastExclusive: rows[0]?.value, until };
  } catch (error) {
    client.release(true);
    throw connections.explain(error, client);
  }
}

async function readOthers(client: PoolClient, { name }: ReplicaDescription): Promise<readonly OtherReplica[]> {
  return (await client.query<OtherReplica>(listOthers, [name])).rows;
}

function findConflict(self: ReplicaDescription, others: readonly OtherReplica[]): string | undefined {
  const exclusive = others.find((other) => other.exclusive === 'true');
  if (exclusive)
    return `Another server (${exclusive.name}) uses the database alone. Stop it first; after a crash, wait 30 seconds.`;
  const [first] = others;
  if (first && self.isExclusive)
    return `Other servers use the database: ${others.map(({ name }) => name).join(', ')}. Stop them first; after a crash, wait 30 seconds.`;
  const different = others.find(({ issuer }) => issuer !== self.issuer);
  if (different)
    return `The other servers of the database (${different.name}) have the issuer ${different.issuer}, this one ${self.issuer}. Start it with the same --base-url or --issuer.`;
  return undefined;
}

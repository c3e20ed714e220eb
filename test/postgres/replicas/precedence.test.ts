/** Long transactions get through beside writers of other servers, and logins beside them do not wait. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Store, StoreBusyError } from '../../../src/server/store/store.ts';
import type { Session } from '../../../src/server/store/tables.ts';
import { group, idsOf } from '../../server/store/rows.ts';
import { databaseUrl } from '../database.ts';
import { TestSchemas } from '../schemas.ts';

const schemas = new TestSchemas(databaseUrl);
const client = new pg.Client({ connectionString: databaseUrl });
beforeAll(() => client.connect());
afterAll(() => client.end());

const session: Session = {
  sessionId: 'session',
  clientId: 'app',
  userId: 'alice',
  level: 'AUTH-BASIC',
  smart: false,
  remember: false,
  startedAt: 0,
  endsAt: 1,
};

async function openTwo() {
  const schema = await schemas.take();
  const issuer = 'http://iam.example';
  const [one, other] = await Promise.all(
    ['one', 'other'].map((replica) => schemas.open({ schema, sharedBy: { replica, issuer } })),
  );
  if (!one || !other) throw new Error('two stores are opened');
  return { one, other, schema, close: () => Promise.all([one.close(), other.close()]) };
}

/** How many transactions of the database wait for a lock. */
const countWaiting = async () =>
  (await client.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'")).rowCount ?? 0;

/** Runs a change that conflicts with one of the other server in each attempt, until that one has to wait. */
function runBesideWriter(one: Store, other: Store, whileWaiting: () => Promise<unknown>) {
  let runs = 0;
  const writes: Promise<unknown>[] = [];
  const work = one.transaction(async (tx) => {
    runs += 1;
    await tx.groups.get('shared');
    let isWritten = false;
    const write = other.transaction(({ groups }) => groups.replace(group('shared', { roles: [`OTHER-${runs}`] })));
    writes.push(write);
    write.then(
      () => {
        isWritten = true;
      },
      () => undefined,
    );
    await expect.poll(async () => isWritten || (await countWaiting()) > 0, { timeout: 10_000 }).toBe(true);
    if (!isWritten) await whileWaiting();
    await tx.groups.replace(group('shared', { roles: ['ONE'] }));
    await tx.groups.insert(group('one'));
  });
  return { work, writes, runs: () => runs };
}

test('a change that others make fail takes precedence: they wait for it, and logins do not', async () => {
  const { one, other, close } = await openTwo();
  try {
    await one.transaction(({ groups }) => groups.insert(group('shared')));
    let hasLoggedIn = false;
    const { work, writes, runs } = runBesideWriter(one, other, async () => {
      await Promise.all(
        [one, other].map((store, at) =>
          store.transaction(({ sessions }) => sessions.insert({ ...session, sessionId: `session-${at}-${runs()}` })),
        ),
      );
      hasLoggedIn = true;
    });
    await work;
    await Promise.all(writes);
    expect(hasLoggedIn).toBe(true);
    expect(runs()).toBe(writes.length);
    expect(runs()).toBeGreaterThan(1);
    // The one that waited comes after it.
    expect(await one.groups.get('shared')).toMatchObject({ roles: [`OTHER-${runs()}`] });
    expect(await idsOf(one.groups.list())).toEqual(['one', 'shared']);
  } finally {
    await close();
  }
});

test('a change that waits for longer than five seconds is refused without blaming the database', async () => {
  const { one, other, schema, close } = await openTwo();
  try {
    const holder = new pg.Client({ connectionString: databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query(`lock table ${schema}.groups in share row exclusive mode`);
    await expect(other.transaction(({ groups }) => groups.insert(group('late')))).rejects.toThrow(StoreBusyError);
    await other.transaction(({ sessions }) => sessions.insert(session));
    await holder.end();
    await other.transaction(({ groups }) => groups.insert(group('later')));
    expect(await idsOf(one.groups.list())).toEqual(['later']);
  } finally {
    await close();
  }
});

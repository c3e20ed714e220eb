/** Which database is the primary of before: by its timeline and its identity. And connections that never become free. */
import pg from 'pg';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/server/lib/clock.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { systemStopwatch } from '../../../src/server/lib/stopwatch.ts';
import { systemTimer, type Timer } from '../../../src/server/lib/timer.ts';
import { openPostgresStore } from '../../../src/server/store/postgres/open-postgres-store.ts';
import { PrimaryConnections } from '../../../src/server/store/postgres/primary-connections.ts';
import { StoreUnavailableError } from '../../../src/server/store/store.ts';
import { startCuttingProxy } from '../cutting-proxy.ts';
import { databaseUrl } from '../database.ts';
import { hostState, type Pooler, startAnsweringDatabase } from '../poolers.ts';

const databases: Pooler[] = [];
afterEach(() => {
  for (const database of databases.splice(0)) database.close();
});

const maxConnections = 10;

async function connect(answer: Parameters<typeof startAnsweringDatabase>[0], timer: Timer = systemTimer) {
  const database = await startAnsweringDatabase(answer);
  databases.push(database);
  const connections = new PrimaryConnections({
    hosts: [{ host: '127.0.0.1', port: database.port, user: 'iam', database: 'iam' }],
    schema: 'iam',
    applicationName: 'iam test',
    maxConnections,
    stopwatch: systemStopwatch,
    timer,
  });
  return { database, connections };
}

const ping = { name: 'ping', text: 'select 1' };

describe('a running server refuses', () => {
  const before = { timeline: '00000002', system_id: '7001', schema_id: '16400' };
  const older = /of before a failover/;
  const replaced = /was replaced by another one, or was restored: in that case, restart all servers/;
  test.each([
    ['a database with an older timeline', { ...before, timeline: '00000001' }, older],
    [
      'one of another cluster, although its timeline is newer',
      { ...before, timeline: '00000009', system_id: '7002' },
      replaced,
    ],
    [
      'a schema that was created again, also if the user may not read the cluster',
      { timeline: '00000002', schema_id: '16999' },
      replaced,
    ],
  ])('%s, until the right one is back', async (_what, after, message) => {
    let state: Readonly<Record<string, string>> = before;
    const { database, connections } = await connect(() => ({ ...hostState('iam'), ...state }));
    (await connections.acquire()).release();
    state = after;
    database.cut();
    const reason = expect.stringMatching(message);
    await expect
      .poll(() => connections.health())
      .toEqual({
        writable: false,
        problem: 'database-replaced',
        reason,
        permanent: false,
      });
    await expect(connections.query(ping, [])).rejects.toThrow(message);
    // After a failover.
    state = { ...before, timeline: '00000003' };
    await expect.poll(() => connections.health()).toEqual({ writable: true });
    await connections.close();
  });

  test('the real thing: a schema that was dropped and restored, as a user that may not read the cluster', async () => {
    const admin = new pg.Client({ connectionString: databaseUrl });
    await admin.connect();
    const name = `replaced_${process.pid}`;
    await admin.query(`create role ${name} login; create schema ${name} authorization ${name}`);
    // Superusers are not concerned.
    await admin.query('revoke execute on function pg_control_system() from public');
    onTestFinished(async () => {
      await admin.query('grant execute on function pg_control_system() to public');
      await admin.end();
    });
    await using proxy = await startCuttingProxy(databaseUrl);
    const url = new URL(proxy.url);
    url.username = name;
    const store = await openPostgresStore({
      databaseUrl: url.href,
      schema: name,
      initialize: true,
      lanes: 2,
      replica: { name: 'one', issuer: 'http://iam.example', isExclusive: false },
      clock: systemClock,
      random: systemRandom,
      stopwatch: systemStopwatch,
      timer: systemTimer,
    });
    proxy.refuse();
    await expect.poll(() => store.health().writable).toBe(false);
    await admin.query(`alter schema ${name} rename to ${name}_before; create schema ${name} authorization ${name}`);
    proxy.restore();
    const reason = expect.stringMatching(replaced);
    await expect
      .poll(() => store.health())
      .toEqual({
        writable: false,
        problem: 'database-replaced',
        reason,
        permanent: false,
      });
    await admin.query(`drop schema ${name}; alter schema ${name}_before rename to ${name}`);
    await expect.poll(() => store.health()).toEqual({ writable: true });
    await expect.poll(() => store.groups.list().catch(() => undefined)).toEqual([]);
    await store.close();
  });
});

describe('a caller that needs a connection is refused', () => {
  test('if the host is read-only and never ends the connection', async () => {
    const { connections } = await connect((connection) => ({
      ...hostState('iam'),
      timeline: '00000001',
      read_only: connection === 1 ? 'off' : 'on',
    }));
    // Held, so that the next caller needs a new connection.
    const held = await connections.acquire();
    await expect(connections.query(ping, [])).rejects.toThrow(StoreUnavailableError);
    held.release(true);
    await connections.close();
  });

  test('if none becomes free within the limit; the next one is given to a caller that still waits', async () => {
    let expire = () => {};
    const timer: Timer = {
      after: (milliseconds, work) => {
        // To acquire a connection; other limits are in real time.
        if (milliseconds !== 5_000) return systemTimer.after(milliseconds, work);
        expire = work;
        return () => undefined;
      },
    };
    const { connections } = await connect(() => ({ ...hostState('iam'), timeline: '00000001' }), timer);
    const held = await Promise.all(Array.from({ length: maxConnections }, () => connections.acquire()));
    const late = connections.acquire();
    // It waits for the search of the primary in a later turn.
    await new Promise((resolve) => setImmediate(resolve));
    const outcome = expect(late).rejects.toThrow(StoreUnavailableError);
    expire();
    await outcome;
    const next = connections.acquire();
    held.pop()?.release();
    (await next).release();
    for (const client of held) client.release();
    expect(connections.health()).toEqual({ writable: true });
    await connections.close();
  });
});

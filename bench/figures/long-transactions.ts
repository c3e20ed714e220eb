/**
 * Long transactions on PostgreSQL: the insertion of many rows alone, and each of the others beside a second server that
 * writes about ten times a second. They must succeed; the floor is the longest that one of those writes took.
 */
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { systemClock } from '../../src/server/lib/clock.ts';
import { systemRandom } from '../../src/server/lib/random.ts';
import { systemStopwatch } from '../../src/server/lib/stopwatch.ts';
import { systemTimer } from '../../src/server/lib/timer.ts';
import { openPostgresStore } from '../../src/server/store/postgres/open-postgres-store.ts';
import type { Store } from '../../src/server/store/store.ts';
import { type BenchEnvironment, client } from '../environment.ts';
import { type Figure, timeFigure } from '../figure.ts';
import { groupIdOf, largestGroupSize, userIdOf } from '../names.ts';
import type { ServerProcess } from '../processes.ts';
import { basic, login, requestOnce, sendControl } from '../requests.ts';
import { median } from '../statistics.ts';
import { createChain, findLongestLogin, measure, toJson } from './beside.ts';

const limits = { insertion: 2, loginMs: 250 } as const;
const sizes = { clients: 2_000, groups: 400, members: 2_000 } as const;
/** Groups with the most members. One of them is deleted before the backup of 600,000 rows. */
const largeGroups = 7;
const writePauseMs = 100;
const quietMs = 2_000;
const smallId = groupIdOf(largeGroups);

export async function longTransactionFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const schema = bench.newSchema();
  const insertion = await measureInsertions(bench.databaseUrl, schema);
  const [server, other] = [await bench.startOnSchema(schema), await bench.startOnSchema(schema)];
  try {
    return [insertion, ...(await measureBesideWriter(bench, schema, [server, other])), await measureBackup(server)];
  } finally {
    await Promise.all([server.stop(), other.stop()]);
  }
}

/** Makes the rows. The floor is a copy of the same rows by one statement within the database. */
async function measureInsertions(databaseUrl: string, schema: string): Promise<Figure> {
  const replica = { name: 'bench', issuer: 'http://127.0.0.1', isExclusive: true };
  const system = { clock: systemClock, random: systemRandom, stopwatch: systemStopwatch, timer: systemTimer };
  const store = await openPostgresStore({ ...system, databaseUrl, schema, initialize: true, lanes: 2, replica });
  try {
    await insertClients(store);
    await insertMembers(store, smallId, sizes.members);
    const inserted: number[] = [];
    const copied: number[] = [];
    for (let number = 0; number < largeGroups; number += 1) {
      const groupId = groupIdOf(number);
      inserted.push(await measure(() => insertMembers(store, groupId, largestGroupSize)));
      copied.push(await copyMembers(databaseUrl, schema, groupId));
    }
    return {
      name: 'insertion of 100,000 members',
      ours: `${median(inserted).toFixed(0)} ms`,
      floor: `${median(copied).toFixed(0)} ms`,
      result: median(inserted.map((milliseconds, round) => milliseconds / (copied[round] ?? milliseconds))),
      unit: 'ratio',
      target: { atMost: limits.insertion },
    };
  } finally {
    await store.close();
  }
}

/** Copies the members of a group to a table with the same indexes. @returns how long it took, in milliseconds */
async function copyMembers(databaseUrl: string, schema: string, groupId: string): Promise<number> {
  const database = new pg.Client({ connectionString: databaseUrl, options: `-c search_path=${schema}` });
  await database.connect();
  try {
    await database.query('create table if not exists copied_members (like memberships including all)');
    return await measure(async () => {
      await database.query('begin isolation level serializable');
      await database.query('insert into copied_members select * from memberships where "group" = $1', [groupId]);
      await database.query('commit');
    });
  } finally {
    await database.end();
  }
}

const createdAt = new Date(0).toISOString();

function insertMembers(store: Store, groupId: string, members: number): Promise<void> {
  return store.transaction(async (tx) => {
    await tx.groups.insert({ groupId, groupName: groupId, roles: [], dependencies: [], createdAt });
    for (let number = 0; number < members; number += 1)
      await tx.memberships.insert({ groupId, kind: 'user', memberId: userIdOf('users', number) });
  });
}

const organizationId = 'bench';

function insertClients(store: Store): Promise<void> {
  const names = { authorities: [], scope: [], grantTypes: [] };
  const kind = { party: '1STPARTY', factorVisibility: 'CREDENTIALS_ONLY', appId: 'bench' } as const;
  return store.transaction(async ({ clients }) => {
    for (let number = 0; number < sizes.clients; number += 1)
      await clients.insert({
        clientId: `client-${number}`,
        secretHash: '',
        organizationId,
        ...kind,
        ...names,
        createdAt,
      });
  });
}

async function measureBesideWriter(
  bench: BenchEnvironment,
  schema: string,
  [{ port }, other]: readonly [ServerProcess, ServerProcess],
): Promise<Figure[]> {
  const authorization = `Bearer ${await login(port, basic(client.id, client.secret))}`;
  const figures: Figure[] = [];
  const beside = async (name: string, work: () => Promise<unknown>) => {
    const writer = startWriter(other.port, authorization, name);
    let milliseconds: number;
    try {
      milliseconds = await measure(work);
    } finally {
      await writer.stop();
    }
    figures.push(timeFigure(name, milliseconds, { floor: `write ${writer.longest().toFixed(0)} ms` }));
  };
  const send = async (method: string, path: string, body?: object) => {
    const response = await requestOnce(port, { method, path, authorization }, body && JSON.stringify(body));
    if (response.status >= 300) throw new Error(`${method} ${path} returned ${response.status}: ${response.body}`);
  };
  const target = { organizationId, businessUnitId: 'moved' };
  const structure = '/client-identities/organizational-structure';
  await beside('migration of 2,000 clients', () => send('PUT', structure, { source: { organizationId }, target }));
  await beside('seed of 400 groups', () => sendControl(port, '/seed', toJson(createChain(sizes.groups, 'sent'))));
  await beside('start with a seed of 400 groups', async () => {
    const words = bench.seedWords(createChain(sizes.groups, 'started'));
    await (await bench.startOnSchema(schema, { words })).stop();
  });
  await beside('deletion of 2,000 members', () => send('DELETE', `/groups/${smallId}`));
  await beside('deletion of 100,000 members', () => send('DELETE', `/groups/${groupIdOf(0)}`));
  return figures;
}

/** The longest login beside a backup, less the longest of a quiet server. */
async function measureBackup({ port }: ServerProcess): Promise<Figure> {
  const alone = await findLongestLogin(port, () => setTimeout(quietMs));
  const longest = await findLongestLogin(port, () => sendControl(port, '/store/backup'));
  const options = { floor: `${alone.toFixed(0)} ms`, atMost: limits.loginMs };
  return { ...timeFigure('login beside a backup of 600,000 rows', longest, options), result: longest - alone };
}

/** Creates groups on the other server, one after the other. */
function startWriter(port: number, authorization: string, name: string) {
  let isRunning = true;
  let longest = 0;
  async function write() {
    for (let number = 0; isRunning; number += 1) {
      const groupName = `beside ${name} ${number}`;
      const parts = { method: 'POST', path: '/groups', authorization };
      const milliseconds = await measure(async () => {
        const { status, body } = await requestOnce(port, parts, JSON.stringify({ groupName, roles: [] }));
        if (status !== 201) throw new Error(`a write beside ${name} returned ${status}: ${body}`);
      });
      longest = Math.max(longest, milliseconds);
      await setTimeout(writePauseMs);
    }
  }
  const running = write();
  running.catch(() => {});
  return {
    longest: () => longest,
    stop() {
      isRunning = false;
      return running;
    },
  };
}

/**
 * How long a seed of a chain of groups takes, and how much longer a login of a client takes beside work on many rows. The
 * floor is a start with an empty seed, and the longest login beside nothing, in the same run.
 */
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type BenchEnvironment, client } from '../environment.ts';
import { type Figure, timeFigure } from '../figure.ts';
import { groupIdOf, largestGroupSize, userIdOf, userPassword } from '../names.ts';
import type { ServerProcess } from '../processes.ts';
import { basic, login, loginUser, requestOnce, sendControl } from '../requests.ts';
import { median } from '../statistics.ts';

const limits = { chainMs: 3_000, growth: 6, loginMs: 250, usedTokensMs: 100 } as const;
/** Logins are sent one after the other, with a pause. */
const pauseMs = 5;
const quietMs = 2_000;
/** The time after the work in which its rows are merged and a checkpoint is written. */
const afterMs = 1_000;
/** Groups of a seed in a request, which has at most 40,000 values. */
const requestGroups = 4_800;
/** A token has all roles of the chain, and at most 32 kB. */
const chainRoles = 300;
/** Used refresh tokens of a session: as many as are kept. */
const usedTokens = 20_000;
const lists = 21;

export async function besideFigures(bench: BenchEnvironment): Promise<Figure[]> {
  return [...(await chainFigures(bench)), ...(await loginFigures(bench)), ...(await usedTokenFigures(bench))];
}

/** The time of a start with a seed, beyond that of a start with an empty one. */
async function chainFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const start = async (groups: number) => {
    const server = await bench.startSeeded(createChain(groups));
    await server.stop();
    return server.start.wallMs;
  };
  const floorMs = await start(0);
  const [short, long, target] = [await start(1_800), await start(7_200), await start(10_000)];
  const shortMs = short - floorMs;
  const longMs = long - floorMs;
  return [
    timeFigure('seed of a chain of 10,000 groups', target - floorMs, {
      floor: `${floorMs.toFixed(0)} ms`,
      atMost: limits.chainMs,
    }),
    {
      name: 'seed of 7,200 groups, beside 1,800',
      ours: `${longMs.toFixed(0)} ms`,
      floor: `${shortMs.toFixed(0)} ms`,
      result: longMs / shortMs,
      unit: 'ratio',
      target: { atMost: limits.growth },
    },
  ];
}

async function loginFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const server = await bench.startSeeded({});
  const { port } = server;
  try {
    // The first requests compile.
    await findLongestLogin(port, () => setTimeout(quietMs));
    const alone = await findLongestLogin(port, () => setTimeout(quietMs));
    const figures: Figure[] = [];
    const beside = async (name: string, work: () => Promise<unknown>) => {
      const longest = await findLongestLogin(port, work);
      const floor = `${alone.toFixed(0)} ms`;
      figures.push({
        ...timeFigure(`login beside ${name}`, longest, { floor, atMost: limits.loginMs }),
        result: longest - alone,
      });
    };
    const chain = toJson(createChain(requestGroups));
    await beside('a seed', () => sendControl(port, '/seed', chain));
    const state = addMembers(await sendControl(port, '/state/export'));
    await beside('an import', () => sendControl(port, '/state/import?force=true', state));
    await beside('a backup', () => sendControl(port, '/store/backup'));
    await beside('an export', () => sendControl(port, '/state/export'));
    await beside('a deletion of 100,000 members', () => deleteGroup(server));
    await sendControl(port, '/state/import?force=true', state);
    await beside('a reset', () => sendControl(port, '/state/reset', toJson({ to: 'empty' })));
    return figures;
  } finally {
    await server.stop();
  }
}

/** What a list of the sessions of a user and its lock take in addition with used refresh tokens. */
async function usedTokenFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const userIds = ['few', 'many', 'first'];
  const users = userIds.map((userId) => ({ userId, userName: userId, password: userPassword }));
  const server = await bench.startSeeded({ users });
  const { port } = server;
  try {
    for (const userId of userIds) await loginUser(port, userId);
    await sendControl(
      port,
      '/state/import?force=true',
      addUsedTokens(await sendControl(port, '/state/export'), 'many'),
    );
    const authorization = `Bearer ${await login(port, basic(client.id, client.secret))}`;
    const [fewLists = [], manyLists = []] = userIds.map(() => [] as number[]);
    const list = (userId: string) => measure(() => sendControl(port, `/sessions?userId=${userId}`));
    for (let round = 0; round < lists; round += 1) {
      fewLists.push(await list('few'));
      manyLists.push(await list('many'));
    }
    const lock = (userId: string) => measure(() => lockUser(port, userId, authorization));
    // The first lock compiles.
    await lock('first');
    const [few, many] = [await lock('few'), await lock('many')];
    const compare = (name: string, ours: number, floorMs: number): Figure => ({
      ...timeFigure(`${name}, 20,000 used tokens`, ours, {
        floor: `${floorMs.toFixed(0)} ms`,
        atMost: limits.usedTokensMs,
      }),
      result: ours - floorMs,
    });
    return [compare('list of sessions', median(manyLists), median(fewLists)), compare('lock', many, few)];
  } finally {
    await server.stop();
  }
}

/** Adds used refresh tokens to the session of a user in an exported state. */
function addUsedTokens(exported: Buffer, userId: string): Buffer {
  const state = JSON.parse(exported.toString()) as {
    tables: { sessions: { sessionId: string; userId?: string }[]; usedRefreshTokens: object[] };
  };
  const { sessions, usedRefreshTokens } = state.tables;
  const sessionId = sessions.find((session) => session.userId === userId)?.sessionId;
  const usedAt = Math.floor(Date.now() / 1_000);
  for (let number = 0; number < usedTokens; number += 1) {
    const tokenHash = createHash('sha256').update(String(number)).digest('hex');
    usedRefreshTokens.push({ tokenHash, sessionId, usedAt });
  }
  return toJson(state);
}

async function lockUser(port: number, userId: string, authorization: string): Promise<void> {
  const parts = { method: 'POST', path: '/user-identities/lock', authorization };
  const { status, body } = await requestOnce(port, parts, JSON.stringify({ userId }));
  if (status !== 200) throw new Error(`the lock returned ${status}: ${body}`);
}

export async function measure(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** Each group depends on the next. */
export function createChain(length: number, name = 'chain'): object {
  const groups = Array.from({ length }, (_, at) => ({
    groupName: `${name}-${at}`,
    roles: [`READ_${at % chainRoles}`],
    dependencies: at + 1 < length ? [{ groupName: `${name}-${at + 1}` }] : [],
  }));
  return { groups };
}

const membersId = groupIdOf(0);

/** Adds a group and its members to an exported state. */
function addMembers(exported: Buffer): Buffer {
  const state = JSON.parse(exported.toString()) as { tables: Record<'groups' | 'users' | 'memberships', object[]> };
  const { groups, users, memberships } = state.tables;
  const createdAt = new Date(0).toISOString();
  groups.push({ groupId: membersId, groupName: 'all-users', roles: [], dependencies: [], createdAt });
  for (let number = 0; number < largestGroupSize; number += 1) {
    const memberId = userIdOf('users', number);
    memberships.push({ groupId: membersId, kind: 'user', memberId });
    const flags = { emailVerified: false, mobileVerified: false, lead: false, locked: false };
    users.push({ userId: memberId, userName: memberId, identities: [], ...flags, createdAt });
  }
  return toJson(state);
}

export function toJson(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

async function deleteGroup({ port }: ServerProcess): Promise<void> {
  const authorization = `Bearer ${await login(port, basic(client.id, client.secret))}`;
  const { status, body } = await requestOnce(port, { method: 'DELETE', path: `/groups/${membersId}`, authorization });
  if (status !== 204) throw new Error(`the deletion returned ${status}: ${body}`);
}

/** Logs in again and again until the work has ended, and for a time afterwards. */
export async function findLongestLogin(port: number, work: () => Promise<unknown>): Promise<number> {
  let isRunning = true;
  const running = work()
    .then(() => setTimeout(afterMs))
    .finally(() => {
      isRunning = false;
    });
  // It is awaited below, also if it fails at once.
  running.catch(() => {});
  let longest = 0;
  while (isRunning) {
    const before = performance.now();
    await login(port, basic(client.id, client.secret));
    longest = Math.max(longest, performance.now() - before);
    await setTimeout(pauseMs);
  }
  await running;
  return longest;
}

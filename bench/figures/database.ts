/** A server on PostgreSQL, with several callers at once: its calls compared with a bare statement each. */
import type { Pool } from 'pg';
import { openConnections, sendOn } from '../burst.ts';
import { type BenchEnvironment, client, type ServerUnderTest, sizes } from '../environment.ts';
import { type Figure, formatRate } from '../figure.ts';
import type { Load } from '../load-driver.ts';
import { userIdOf } from '../names.ts';
import { basic, loginUser } from '../requests.ts';
import { median, percentile } from '../statistics.ts';
import { createLoad, getLoad } from './request-kinds.ts';

const rounds = 5;
const roundMs = 2_000;
const warmUpMs = 3_000;
const writers = 24;
const readers = 16;

/** Makes the next call of a caller. @returns its time in milliseconds */
type Call = (caller: number) => Promise<number>;

interface Run {
  readonly perSecond: number;
  readonly times: readonly number[];
}

export async function databaseFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const subject = await bench.server('people');
  const pool = await bench.openFloorDatabase(writers);
  try {
    return [...(await writeFigures(subject, pool)), await readFigure(subject, pool)];
  } finally {
    await pool.end();
  }
}

/** Creates groups; the floor inserts a row. */
async function writeFigures(subject: ServerUnderTest, pool: Pool): Promise<Figure[]> {
  await pool.query('create table floor (key text primary key, body jsonb)');
  let inserted = 0;
  const insert = () => {
    inserted += 1;
    return pool.query({ name: 'insert', text: 'insert into floor values ($1, $2)', values: [`${inserted}`, '{}'] });
  };
  const before = await readTransactions(subject);
  const { ours, floor } = await compare(subject, createLoad(subject), { callers: writers, statement: insert });
  const after = await readTransactions(subject);
  const times = ours.flatMap((run) => run.times);
  return [
    rateFigure(`post, ${writers} callers`, ours, floor),
    {
      name: `post, ${writers} callers, p99`,
      ours: `${percentile(times, 50).toFixed(1)} ms p50`,
      floor: `${Math.max(...times).toFixed(0)} ms max`,
      result: percentile(times, 99),
      unit: 'ms',
      target: { atMost: 100 },
    },
    {
      name: `post, ${writers} callers, retries of a commit`,
      ours: `${after.retries - before.retries} retries`,
      floor: `${after.commits - before.commits} commits`,
      result: (after.retries - before.retries) / (after.commits - before.commits),
      unit: 'ratio',
      target: { atMost: 0.1 },
    },
  ];
}

/** Reads groups as a user, whose roles come from a group; the floor reads one row. */
async function readFigure(subject: ServerUnderTest, pool: Pool): Promise<Figure> {
  const token = await loginUser(subject.server.port, userIdOf('quick', 0));
  const select = () => pool.query({ name: 'select', text: 'select * from floor where key = $1', values: ['1'] });
  const load = getLoad({ ...subject, token }, sizes.people);
  const { ours, floor } = await compare(subject, load, { callers: readers, statement: select });
  return rateFigure(`get by a user, ${readers} callers`, ours, floor);
}

interface Compared {
  readonly callers: number;
  /** The floor. */
  statement(): Promise<unknown>;
}

/** Measures the load and its floor in alternating rounds. */
async function compare({ server }: ServerUnderTest, load: Load, { callers, statement }: Compared) {
  const connections = await openConnections(server.port, callers);
  const request: Call = async (caller) => {
    const connection = connections[caller];
    if (!connection) throw new Error('a caller needs a connection');
    const { status, milliseconds } = await sendOn(connection, load.next(connection.body));
    if (status !== load.status) throw new Error(`got status ${status}, expected ${load.status}`);
    return milliseconds;
  };
  const query: Call = async () => {
    const startedAt = performance.now();
    await statement();
    return performance.now() - startedAt;
  };
  const [ours, floor]: [Run[], Run[]] = [[], []];
  for (const call of [request, query]) await runFor(call, callers, warmUpMs);
  for (let round = 0; round < rounds; round += 1) {
    floor.push(await runFor(query, callers, roundMs));
    ours.push(await runFor(request, callers, roundMs));
  }
  for (const connection of connections) connection.close();
  return { ours, floor };
}

async function runFor(call: Call, callers: number, milliseconds: number): Promise<Run> {
  const startedAt = performance.now();
  const times: number[] = [];
  const repeat = async (caller: number) => {
    while (performance.now() - startedAt < milliseconds) times.push(await call(caller));
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => repeat(caller)));
  return { perSecond: (times.length * 1000) / (performance.now() - startedAt), times };
}

function rateFigure(name: string, ours: readonly Run[], floor: readonly Run[]): Figure {
  return {
    name,
    ours: formatRate(ours.map((run) => run.perSecond)),
    floor: formatRate(floor.map((run) => run.perSecond)),
    result: median(ours.map((run, round) => run.perSecond / (floor[round]?.perSecond ?? Number.NaN))),
    unit: 'ratio',
  };
}

/** Reads the number of commits and retries so far from the metrics. */
async function readTransactions({ server }: ServerUnderTest) {
  const url = `http://127.0.0.1:${server.port}/_iam/metrics`;
  const response = await fetch(url, { headers: { authorization: basic(client.id, client.secret) } });
  const text = await response.text();
  const read = (name: string) => {
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
    if (line === undefined) throw new Error(`the metrics contain no ${name}`);
    return Number(line.slice(name.length));
  };
  return { commits: read('iam_store_commits_total'), retries: read('iam_store_retries_total') };
}

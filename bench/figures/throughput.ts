/** Responses per second compared with the floor, in alternating rounds, so that other load affects both. */

import { type BenchEnvironment, type ServerUnderTest, sizes } from '../environment.ts';
import { type Figure, type Rate, ratioFigure } from '../figure.ts';
import { ConnectionPool, type Load } from '../load-driver.ts';
import type { ServerProcess } from '../processes.ts';
import { requestOnce } from '../requests.ts';
import type { RequestKind } from './request-kinds.ts';

// Many and short: three runs agree then within 10 %, also beside other work.
const rounds = 60;
const roundMs = 150;
// Long enough for V8 to optimize the hot code.
const warmUpMs = 3_000;

/** The fraction of a small store's target that a large store must reach. */
const largeShare = 0.8;
/** The fraction of the requests to a small store that one with 1,000,000 groups must answer. */
const minGrowthRatio = 0.9;

/** A server with the connections of a load. */
interface Contender {
  /** Of the figure. */
  readonly name: string;
  readonly target?: number | undefined;
  readonly server: ServerProcess;
  readonly pool: ConnectionPool;
  readonly rates: Rate[];
}

/** Measures one kind of request on the stores of all its sizes, and beside them on other servers. */
export async function throughput(
  bench: BenchEnvironment,
  kind: RequestKind,
  others: readonly Contender[] = [],
): Promise<Figure[]> {
  const subjects: ServerUnderTest[] = [];
  for (const size of kind.sizes) subjects.push(await asCaller(kind, await bench.server(size)));
  const floor = await bench.floor();
  await bench.suspendAll();
  const [first, ...ours] = await createContenders(kind, floor, subjects);
  const measured = [...ours, ...others];
  await runRounds([first, ...measured]);
  return measured.map(({ name, rates, target }) => ratioFigure(name, rates, first.rates, target));
}

/** Measures one kind of request with 1,000,000 groups, compared with the same requests to 1,000. */
export async function growthFigure(bench: BenchEnvironment, kind: RequestKind): Promise<Figure> {
  const [small, million] = [await bench.server('small'), await bench.server('million')];
  await bench.suspendAll();
  const [base, grown] = [await createOwn(kind, small), await createOwn(kind, million)];
  await runRounds([base, grown]);
  return ratioFigure(`${kind.name}, 1,000,000 groups to 1,000`, grown.rates, base.rates, minGrowthRatio);
}

async function runRounds(contenders: readonly Contender[]): Promise<void> {
  for (const contender of contenders) await runRound(contender, warmUpMs);
  for (let round = 0; round < rounds; round += 1)
    for (const contender of contenders) contender.rates.push(await runRound(contender, roundMs));
  for (const { pool } of contenders) pool.close();
}

/** Returns the subject with the token of the kind's caller. */
async function asCaller({ token }: RequestKind, subject: ServerUnderTest): Promise<ServerUnderTest> {
  if (!token) return subject;
  subject.server.resume();
  return { ...subject, token: await token(subject) };
}

async function createContenders(
  kind: RequestKind,
  floor: ServerProcess,
  subjects: readonly ServerUnderTest[],
): Promise<[Contender, ...Contender[]]> {
  const [first] = subjects;
  if (!first) throw new Error('a kind needs at least one size');
  first.server.resume();
  const response = await requestOnce(first.server.port, kind.sample(first), kind.sampleBody);
  first.server.suspend();
  if (response.status !== kind.status) throw new Error(`${kind.name} returned ${response.status}: ${response.body}`);
  floor.resume();
  floor.setResponse(response);
  floor.suspend();
  const { connections } = kind;
  const contenders: [Contender, ...Contender[]] = [
    await createContender('floor', floor, { connections, load: kind.load(first, sizes[first.size]) }),
  ];
  for (const subject of subjects) contenders.push(await createOwn(kind, subject));
  return contenders;
}

async function createOwn(kind: RequestKind, subject: ServerUnderTest): Promise<Contender> {
  const { name, target, connections } = kind;
  const load = kind.load(subject, sizes[subject.size]);
  if (subject.size !== 'large') return createContender(name, subject.server, { connections, load, target });
  const largeTarget = target === undefined ? undefined : target * largeShare;
  return createContender(`${name}, 100,000 groups`, subject.server, { connections, load, target: largeTarget });
}

interface ContenderOptions {
  readonly connections: number;
  readonly load: Load;
  readonly target?: number | undefined;
}

/** Opens the connections of a server, and suspends it. */
export async function createContender(
  name: string,
  server: ServerProcess,
  { connections, load, target }: ContenderOptions,
): Promise<Contender> {
  server.resume();
  const pool = await ConnectionPool.open(server.port, connections, load);
  server.suspend();
  return { name, target, server, pool, rates: [] };
}

/** Resumes a suspended server, loads it for this time and suspends it again. */
async function runRound({ server, pool }: Contender, milliseconds: number): Promise<Rate> {
  server.resume();
  const before = await server.query('usage');
  const { perSecond, responses } = await pool.drive(milliseconds);
  const after = await server.query('usage');
  server.suspend();
  return { perSecond, cpuMs: (after.cpuMs - before.cpuMs) / responses };
}

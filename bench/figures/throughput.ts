/** Responses per second compared with the floor, in alternating rounds, so that other load affects both. */

import { type BenchEnvironment, type ServerUnderTest, type Size, sizes } from '../environment.ts';
import { type Figure, type Rate, ratioFigure } from '../figure.ts';
import { ConnectionPool } from '../load-driver.ts';
import type { ServerProcess } from '../processes.ts';
import { requestOnce } from '../requests.ts';
import type { RequestKind } from './request-kinds.ts';

const rounds = 15;
const roundMs = 400;
// Long enough for V8 to optimize the hot code.
const warmUpMs = 3_000;

/** The fraction of a small store's target that a large store must reach. */
const largeShare = 0.8;

interface Contender {
  readonly name: string;
  readonly server: ServerProcess;
  readonly pool: ConnectionPool;
  readonly rates: Rate[];
}

/** Measures one kind of request on the stores of all its sizes. */
export async function throughput(bench: BenchEnvironment, kind: RequestKind): Promise<Figure[]> {
  const subjects: ServerUnderTest[] = [];
  for (const size of kind.sizes) subjects.push(await asCaller(kind, await bench.server(size)));
  const floor = await bench.floor();
  await bench.suspendAll();
  const contenders = await createContenders(kind, floor, subjects);
  await runRounds(contenders);
  return figuresOf(kind, contenders);
}

/** Measures one kind of request on a store, compared with the same requests on another one. */
export async function comparedStores(
  bench: BenchEnvironment,
  kind: RequestKind,
  { size, base }: { readonly size: Size; readonly base: Size },
): Promise<{ readonly ours: readonly Rate[]; readonly base: readonly Rate[] }> {
  const contenders: Contender[] = [];
  for (const one of [base, size]) {
    const subject = await bench.server(one);
    contenders.push(await createContender(one, subject.server, kind, subject));
  }
  await bench.suspendAll();
  await runRounds(contenders);
  const [first, second] = contenders;
  return { ours: second?.rates ?? [], base: first?.rates ?? [] };
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
  await subject.server.resume();
  return { ...subject, token: await token(subject) };
}

async function createContenders(
  kind: RequestKind,
  floor: ServerProcess,
  subjects: readonly ServerUnderTest[],
): Promise<Contender[]> {
  const [first] = subjects;
  if (!first) throw new Error('a kind needs at least one size');
  await first.server.resume();
  const response = await requestOnce(first.server.port, kind.sample(first), kind.sampleBody);
  await first.server.suspend();
  if (response.status !== kind.status) throw new Error(`${kind.name} returned ${response.status}: ${response.body}`);
  await floor.resume();
  floor.setResponse(response);
  await floor.suspend();
  const contenders = [await createContender('floor', floor, kind, first)];
  for (const subject of subjects) contenders.push(await createContender(subject.size, subject.server, kind, subject));
  return contenders;
}

async function createContender(
  name: string,
  server: ServerProcess,
  kind: RequestKind,
  subject: ServerUnderTest,
): Promise<Contender> {
  await server.resume();
  const pool = await ConnectionPool.open(server.port, kind.connections, kind.load(subject, sizes[subject.size]));
  await server.suspend();
  return { name, server, pool, rates: [] };
}

/** Resumes a suspended server, loads it for this time and suspends it again. */
export async function runRound(
  { server, pool }: Pick<Contender, 'server' | 'pool'>,
  milliseconds: number,
): Promise<Rate> {
  await server.resume();
  const before = await server.query('usage');
  const { perSecond, responses } = await pool.drive(milliseconds);
  const after = await server.query('usage');
  await server.suspend();
  return { perSecond, cpuMs: (after.cpuMs - before.cpuMs) / responses };
}

function figuresOf(kind: RequestKind, [floor, ...ours]: readonly Contender[]): Figure[] {
  return ours.map(({ name, rates }) =>
    ratioFigure(
      figureName(kind, name as Size),
      rates,
      floor?.rates ?? [],
      kind.target === undefined ? undefined : kind.target * (name === 'large' ? largeShare : 1),
    ),
  );
}

function figureName({ name }: RequestKind, size: Size): string {
  return size === 'large' ? `${name}, 100,000 groups` : name;
}

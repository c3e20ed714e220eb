/** Answers in a second against the floor's, in rounds that take turns: what slows one slows the other. */
import { Pool } from '../driver.ts';
import { type Figure, type Rate, ratioFigure } from '../figure.ts';
import type { ServerProcess } from '../processes.ts';
import { requestOnce } from '../requests.ts';
import { type Setting, type Size, type Subject, sizes } from '../setting.ts';
import type { Kind } from './kinds.ts';

const rounds = 15;
const roundMs = 400;
// Until what is called thousands of times in a second has been compiled for it.
const warmUpMs = 3_000;

/** How much slower than with a small store it may be with a large one. */
const largeShare = 0.8;

interface Contender {
  readonly name: string;
  readonly server: ServerProcess;
  readonly pool: Pool;
  readonly rates: Rate[];
}

/** Measures one kind of request on stores of each of its sizes. */
export async function throughput(setting: Setting, kind: Kind): Promise<Figure[]> {
  const subjects: Subject[] = [];
  for (const size of kind.sizes) subjects.push(await asCaller(kind, await setting.subject(size)));
  const floor = await setting.floor();
  await setting.quieten();
  const contenders = await enter(kind, floor, subjects);
  for (const contender of contenders) await turn(contender, warmUpMs);
  for (let round = 0; round < rounds; round += 1)
    for (const contender of contenders) contender.rates.push(await turn(contender, roundMs));
  for (const { pool } of contenders) pool.close();
  return figuresOf(kind, contenders);
}

/** The subject with the token of who is to call. */
async function asCaller({ token }: Kind, subject: Subject): Promise<Subject> {
  if (!token) return subject;
  await subject.server.resume();
  return { ...subject, token: await token(subject) };
}

async function enter(kind: Kind, floor: ServerProcess, subjects: readonly Subject[]): Promise<Contender[]> {
  const [first] = subjects;
  if (!first) throw new Error('a kind has at least one size');
  await first.server.resume();
  const answer = await requestOnce(first.server.port, kind.sample(first), kind.sampleBody);
  await first.server.suspend();
  if (answer.status !== kind.status) throw new Error(`${kind.name} answers ${answer.status}: ${answer.body}`);
  await floor.resume();
  floor.answerWith(answer);
  await floor.suspend();
  const contenders = [await contender('floor', floor, kind, first)];
  for (const subject of subjects) contenders.push(await contender(subject.size, subject.server, kind, subject));
  return contenders;
}

async function contender(name: string, server: ServerProcess, kind: Kind, subject: Subject): Promise<Contender> {
  await server.resume();
  const pool = await Pool.open(server.port, kind.connections, kind.load(subject, sizes[subject.size]));
  await server.suspend();
  return { name, server, pool, rates: [] };
}

/** What a server that is stopped otherwise answers in so long. */
export async function turn({ server, pool }: Pick<Contender, 'server' | 'pool'>, milliseconds: number): Promise<Rate> {
  await server.resume();
  const before = await server.ask('usage');
  const { perSecond, answers } = await pool.drive(milliseconds);
  const after = await server.ask('usage');
  await server.suspend();
  return { perSecond, cpuMs: (after.cpuMs - before.cpuMs) / answers };
}

function figuresOf(kind: Kind, [floor, ...ours]: readonly Contender[]): Figure[] {
  return ours.map(({ name, rates }) =>
    ratioFigure(
      figureName(kind, name as Size),
      rates,
      floor?.rates ?? [],
      kind.target === undefined ? undefined : kind.target * (name === 'large' ? largeShare : 1),
    ),
  );
}

function figureName({ name }: Kind, size: Size): string {
  return size === 'large' ? `${name}, 100,000 groups` : name;
}

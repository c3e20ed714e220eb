/** Writers, readers and a probe that change and read groups through the balancer. */
import { setTimeout } from 'node:timers/promises';
import { type HttpAnswer, judgeAnswer } from './answer.ts';
import type { GroupOracle, GroupState } from './group-oracle.ts';
import type { HttpConnection } from './http-connection.ts';

export interface LoadOptions {
  readonly connection: HttpConnection;
  readonly oracle: GroupOracle;
  /** Of all names of this load. */
  readonly prefix: string;
  /** Returns the next seeded random number from 0 to 1. */
  readonly draw: () => number;
}

/** Times in milliseconds of `performance.now()`. */
interface AnswerTimes {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isAcknowledged: boolean;
}

const writerCount = 4;
const readerCount = 2;
const writerPause = 20;
const readerPause = 25;
const failurePause = 100;
/** The probe shows the first new write, whatever the writers wait for. */
const probeInterval = 200;
const pageSize = 1000;
/** The role of a new group. */
const firstState = 'CHANGE_0';

export class GroupLoad {
  readonly times: AnswerTimes[] = [];
  readonly #options: LoadOptions;
  readonly #running: Promise<unknown>[] = [];
  #isOver = false;
  #names = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  start(): void {
    const writers = Array.from({ length: writerCount }, () => this.#write());
    const readers = Array.from({ length: readerCount }, () => this.#read());
    this.#running.push(...writers, ...readers, this.#probe());
  }

  /** Resolves after the last answer. */
  async stop(): Promise<void> {
    this.#isOver = true;
    for (const running of this.#running) await running;
  }

  /** Sends many reads at once: more than the connections of a server to the database. */
  burst(count: number): void {
    for (let at = 0; at < count; at += 1) this.#running.push(this.#readOne());
  }

  /** The time of the first acknowledged write that was sent after `instant`, in milliseconds since then. */
  firstWriteAfter(instant: number): number | undefined {
    const ends = this.times.flatMap(({ startedAt, endedAt, isAcknowledged }) =>
      isAcknowledged && startedAt >= instant ? [endedAt] : [],
    );
    return ends.length === 0 ? undefined : Math.min(...ends) - instant;
  }

  /** The longest time of an answer to a request that was sent in this period, in milliseconds. */
  slowestBetween(from: number, to: number): number {
    const sent = this.times.filter(({ startedAt }) => startedAt >= from && startedAt <= to);
    return Math.max(0, ...sent.map(({ startedAt, endedAt }) => endedAt - startedAt));
  }

  async #write(): Promise<void> {
    while (!this.#isOver) {
      if (!(await this.#writeGroup())) await setTimeout(failurePause);
    }
  }

  /** Creates a group, changes it some times, and deletes it or not. @returns whether all was acknowledged */
  async #writeGroup(): Promise<boolean> {
    const { draw } = this.#options;
    const name = this.#newName('w');
    const changes = Math.floor(draw() * 4);
    const isDeleted = draw() < 0.6;
    if (!(await this.change('POST', name, firstState))) return false;
    for (let at = 1; at <= changes && !this.#isOver; at += 1) {
      await setTimeout(writerPause);
      if (!(await this.change('PUT', name, `CHANGE_${at}`))) return false;
    }
    await setTimeout(writerPause);
    return !isDeleted || (await this.change('DELETE', name, undefined));
  }

  async #probe(): Promise<void> {
    while (!this.#isOver) {
      const name = this.#newName('p');
      this.#running.push(this.change('POST', name, firstState));
      await setTimeout(probeInterval);
    }
  }

  /** Makes one change. @returns whether it was acknowledged */
  async change(method: 'POST' | 'PUT' | 'DELETE', name: string, next: GroupState): Promise<boolean> {
    const finish = this.#options.oracle.begin(name, next);
    const body = method === 'DELETE' ? undefined : { groupName: name, roles: [next] };
    const answer = await this.#send(method, method === 'POST' ? '/groups' : `/groups/${name}`, body);
    return finish(judgeAnswer(answer));
  }

  async #read(): Promise<void> {
    while (!this.#isOver) {
      await this.#readOne();
      await setTimeout(readerPause);
    }
  }

  async #readOne(): Promise<void> {
    const { oracle, draw } = this.#options;
    const { recentNames } = oracle;
    const name = recentNames[Math.floor(draw() * recentNames.length)];
    if (name === undefined) return;
    const finish = oracle.beginRead(name);
    const answer = await this.#send('GET', `/groups/${name}`);
    if (answer?.status === 404) return finish(undefined);
    if (answer?.status === 200) return finish((JSON.parse(answer.body) as { roles: string[] }).roles[0]);
    const verdict = judgeAnswer(answer);
    if (verdict.kind === 'refused') oracle.counts.refusedReads += 1;
    if (verdict.kind === 'wrong') oracle.problems.push(`a read of ${name} was answered with ${verdict.problem}`);
  }

  async #send(method: string, pathname: string, body?: object): Promise<HttpAnswer | undefined> {
    const startedAt = performance.now();
    const answer = await this.#options.connection.send(method, pathname, body);
    const isAcknowledged = method !== 'GET' && judgeAnswer(answer).kind === 'acknowledged';
    this.times.push({ startedAt, endedAt: performance.now(), isAcknowledged });
    return answer;
  }

  #newName(kind: string): string {
    this.#names += 1;
    return `${this.#options.prefix}${kind}${this.#names}`;
  }
}

/** Returns the state of all groups whose names begin with the prefix. @throws Error if a page is not answered */
export async function readGroupStates(connection: HttpConnection, prefix: string): Promise<Map<string, GroupState>> {
  const states = new Map<string, GroupState>();
  let page: string | undefined = `?limit=${pageSize}`;
  while (page !== undefined) {
    const answer = await connection.send('GET', `/groups${page}`);
    // 206: there are more pages.
    if (answer?.status !== 200 && answer?.status !== 206)
      throw new Error(`the list of groups was answered with ${answer?.status} ${answer?.body.slice(0, 200)}`);
    for (const { groupName, roles } of JSON.parse(answer.body) as { groupName: string; roles: string[] }[])
      if (groupName.startsWith(prefix)) states.set(groupName, roles[0]);
    page = /<[^>?]*(\?[^>]*)>; rel="next"/.exec(answer.link ?? '')?.[1];
  }
  return states;
}

/**
 * `greedy`: a thousand who say nothing, or a byte now and then, or read nothing of what they asked for, or send without
 * an end, hold a server of their own process. Measured is how long everybody else waits meanwhile, and what memory they
 * take; and the server has to let go of them.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { basicAuthorization } from '../../../src/client/index.ts';
import { Sandbox } from '../../e2e/cli-process.ts';
import { assertThat } from '../races/race.ts';
import { type Budget, type Finding, runRounds, type Suite } from '../suite.ts';
import { type ClientBehavior, createBehaviors } from './client-behaviors.ts';

const calls = 300;
/** Milliseconds that one call in a hundred may take while they are there (a burst on a busy machine takes as long). */
const maxLatencyMs = 250;
/** Seconds that a request may take to arrive, and within which those who take longer are to be gone, on a busy machine. */
const requestTimeout = 10;
const releaseTimeout = 30;
/** Megabytes that they may take together: with all they are let send, and what is left for the collector of garbage. */
const maxMemoryMb = 250;
/** Connections that are held at most: those of the greedy, and room for others. */
const maxConnections = 1100;

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.resume();
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

function openMany(url: string, count: number): Promise<Socket[]> {
  return Promise.all(Array.from({ length: count }, () => open(url)));
}

/** Milliseconds that a call of others takes. @throws Error where it is not answered. */
async function measureCall(url: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(`${url}/healthz`).catch(({ message, cause }: Error) => {
    throw new Error(`a call of others: ${message} (${cause})`);
  });
  await answer.arrayBuffer();
  assertThat(answer.status === 200, `a call of others was answered ${answer.status}`);
  return performance.now() - startedAt;
}

/** The milliseconds that 99 of 100 calls took at most. */
async function measureLatency(url: string): Promise<number> {
  const took: number[] = [];
  const end = performance.now() + releaseTimeout * 1000;
  while (took.length < calls && performance.now() < end) took.push(await measureCall(url));
  return took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.POSITIVE_INFINITY;
}

/** Megabytes that a process holds; 0 where the system does not tell. */
function readMemory(pid: number | undefined): number {
  if (process.platform !== 'linux') return 0;
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

/** Waits until so few of them are left, for so many seconds at most. @returns how many are left. */
async function waitForClosed(sockets: readonly Socket[], wanted: number, seconds: number): Promise<number> {
  const count = () => sockets.filter(({ closed }) => !closed).length;
  for (let turn = 0; turn < seconds * 10 && count() > wanted; turn += 1) await setTimeout(100);
  return count();
}

/** @throws Error where some are still held. Whoever reads nothing does not see an end either until he reads. */
async function assertReleased(what: string, sockets: readonly Socket[]): Promise<void> {
  const reading = sockets.filter((socket) => !socket.isPaused());
  await waitForClosed(reading, 0, releaseTimeout);
  if (reading.length < sockets.length) await setTimeout(releaseTimeout * 1000);
  for (const socket of sockets) socket.resume();
  const held = await waitForClosed(sockets, 0, 3);
  assertThat(held === 0, `${what}: ${held} of them are still held after ${releaseTimeout} s`);
}

interface ServedProcess {
  readonly url: string;
  readonly child: { readonly pid?: number | undefined; readonly exitCode: number | null };
}

/** Calls of others and of the greedy at the same time. @throws Error where the others wait, or the memory is gone. */
async function runBehavior(
  { url, child }: ServedProcess,
  what: string,
  { clientCount, first, repeat, isAnswered }: ClientBehavior,
): Promise<string> {
  const alone = await measureLatency(url);
  const before = readMemory(child.pid);
  const sockets = await openMany(url, clientCount);
  for (const socket of sockets) first(socket);
  let memory = before;
  const going = setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed && socket.writable) repeat(socket);
    if (child.exitCode === null) memory = Math.max(memory, readMemory(child.pid));
  }, 100);
  try {
    const meanwhile = await measureLatency(url);
    const who = `${clientCount} who ${what}`;
    const message = `others wait ${meanwhile.toFixed(0)} ms, and ${alone.toFixed(0)} without them`;
    assertThat(meanwhile < Math.max(maxLatencyMs, 5 * alone), `${who}: ${message}`);
    if (!isAnswered) await assertReleased(who, sockets);
    assertThat(child.exitCode === null, `${who}: the server ended`);
    const memoryGrowth = memory - before;
    assertThat(memoryGrowth < maxMemoryMb, `${who}: the server took ${memoryGrowth.toFixed(0)} MB for them`);
    return `${what}: ${alone.toFixed(0)} -> ${meanwhile.toFixed(0)} ms, ${memoryGrowth.toFixed(0)} MB`;
  } finally {
    clearInterval(going);
    for (const socket of sockets) socket.destroy();
  }
}

/** So many come at once that they fit into the queue of the system, which holds 511. */
const connectionBatch = 100;

/**
 * More than may be there at the same time. After each answered call the queue is empty: whom the system leaves out of it
 * believes for seconds that he is connected, while the server knows nothing of him. @throws Error where all are let in.
 */
async function runTooMany({ url }: ServedProcess): Promise<string> {
  const sockets: Socket[] = [];
  try {
    while (sockets.length < maxConnections + 4 * connectionBatch) {
      await measureCall(url);
      sockets.push(...(await openMany(url, connectionBatch)));
    }
    const held = await waitForClosed(sockets, maxConnections, 5);
    assertThat(held <= maxConnections, `${held} connections are held, and ${maxConnections} may be`);
    return `${held} of ${sockets.length} let in`;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

const tooManyName = 'come in too great a number';
const behaviorNames = [...Object.keys(createBehaviors('')), tooManyName];

/** One kind of them, on a server of its own. */
async function runRound(name: string): Promise<string> {
  await using sandbox = await Sandbox.make();
  const limits = ['--request-timeout', String(requestTimeout), '--max-connections', String(maxConnections)];
  const server = await sandbox.serve(['--store', 'memory', ...limits]);
  const { IAM_CLIENT_ID: clientId = '', IAM_CLIENT_SECRET: clientSecret = '' } = server.variables;
  const kind = createBehaviors(basicAuthorization({ clientId, clientSecret }))[name];
  // Awaited here: the server ends with this function.
  return kind === undefined ? await runTooMany(server) : await runBehavior(server, name, kind);
}

/** A round is one kind, which its seed says. */
async function runSlowClients(budget: Budget): Promise<Finding[]> {
  const message: string[] = [];
  const once = { ...budget, count: Math.min(budget.count, behaviorNames.length) };
  const { findings } = await runRounds('greedy', once, async (seed) => {
    message.push(await runRound(behaviorNames[seed % behaviorNames.length] ?? ''));
  });
  budget.log(message.join('; '));
  return findings;
}

export const slowClientsSuite: Suite = {
  name: 'greedy',
  about: 'a thousand slow or greedy connections are let go, take little, and do not make the others wait',
  run: runSlowClients,
};

/**
 * `greedy`: up to a thousand clients send nothing, send slowly, do not read responses or send endless bodies to a
 * server in a separate process. Measures the latency of other requests and the memory of the server, and verifies that
 * the server closes the connections.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { basicAuthorization } from '../../../src/client/index.ts';
import { Sandbox } from '../../e2e/cli-process.ts';
import { assertThat } from '../races/race.ts';
import { type Budget, type Finding, runRounds, type Suite } from '../suite.ts';
import { type ClientBehavior, createBehaviors } from './client-behaviors.ts';

const requestCount = 300;
/** Maximum 99th percentile of the latency in milliseconds, with room for bursts on a busy machine. */
const maxLatencyMs = 250;
/** Seconds that a request may take to arrive, and within which slower clients must be disconnected. */
const requestTimeout = 10;
const releaseTimeout = 30;
/** Maximum growth of memory in megabytes, including garbage that is not collected yet. */
const maxMemoryMb = 250;
/** Maximum number of connections: those of the slow clients, and room for others. */
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

/** Another address of this machine: requests of the address with too many waiting requests are rejected, as they must be. */
const otherAddress = process.platform === 'linux' ? '127.0.0.2' : undefined;
const otherAgent = new Agent({ keepAlive: true, ...(otherAddress && { localAddress: otherAddress }) });

/** Returns the milliseconds of a request of another client. @throws Error if it fails. */
async function measureRequest(url: string): Promise<number> {
  const startedAt = performance.now();
  const outgoing = get(`${url}/healthz`, { agent: otherAgent });
  const [response] = (await once(outgoing, 'response').catch((error: Error) => {
    throw new Error(`another request failed: ${error.message}`);
  })) as [IncomingMessage];
  await once(response.resume(), 'end');
  assertThat(response.statusCode === 200, `another request returned ${response.statusCode}`);
  return performance.now() - startedAt;
}

/** Returns the 99th percentile in milliseconds. */
async function measureLatency(url: string): Promise<number> {
  const durations: number[] = [];
  const end = performance.now() + releaseTimeout * 1000;
  while (durations.length < requestCount && performance.now() < end) durations.push(await measureRequest(url));
  return durations.toSorted((a, b) => a - b)[Math.floor(durations.length * 0.99)] ?? Number.POSITIVE_INFINITY;
}

/** Returns the resident memory of a process in megabytes; 0 except on Linux. */
function readMemory(pid: number | undefined): number {
  if (process.platform !== 'linux') return 0;
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

/** Waits up to `seconds` until at most `target` sockets are open. @returns the number of open sockets. */
async function waitForClosed(sockets: readonly Socket[], target: number, seconds: number): Promise<number> {
  const count = () => sockets.filter(({ closed }) => !closed).length;
  for (let turn = 0; turn < seconds * 10 && count() > target; turn += 1) await setTimeout(100);
  return count();
}

/** @throws Error if connections stay open. A paused socket sees the end only when it reads again. */
async function assertReleased(description: string, sockets: readonly Socket[]): Promise<void> {
  const reading = sockets.filter((socket) => !socket.isPaused());
  await waitForClosed(reading, 0, releaseTimeout);
  if (reading.length < sockets.length) await setTimeout(releaseTimeout * 1000);
  for (const socket of sockets) socket.resume();
  const open = await waitForClosed(sockets, 0, 3);
  assertThat(open === 0, `${description}: ${open} connections are still open after ${releaseTimeout} s`);
}

interface ServedProcess {
  readonly url: string;
  readonly child: { readonly pid?: number | undefined; readonly exitCode: number | null };
}

/** Runs slow clients and other requests at the same time. @throws Error if latency or memory exceed the limit. */
async function runBehavior(
  { url, child }: ServedProcess,
  description: string,
  { clientCount, first, repeat, hasResponses }: ClientBehavior,
): Promise<string> {
  const alone = await measureLatency(url);
  const before = readMemory(child.pid);
  const sockets = await openMany(url, clientCount);
  for (const socket of sockets) first(socket);
  let memory = before;
  const timer = setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed && socket.writable) repeat(socket);
    if (child.exitCode === null) memory = Math.max(memory, readMemory(child.pid));
  }, 100);
  try {
    const meanwhile = await measureLatency(url);
    const clients = `${clientCount} clients that ${description}`;
    const message = `other requests take ${meanwhile.toFixed(0)} ms, ${alone.toFixed(0)} ms without them`;
    assertThat(meanwhile < Math.max(maxLatencyMs, 5 * alone), `${clients}: ${message}`);
    if (!hasResponses) await assertReleased(clients, sockets);
    assertThat(child.exitCode === null, `${clients}: the server ended`);
    const memoryGrowth = memory - before;
    assertThat(
      memoryGrowth < maxMemoryMb,
      `${clients}: the memory of the server grew by ${memoryGrowth.toFixed(0)} MB`,
    );
    return `${description}: ${alone.toFixed(0)} -> ${meanwhile.toFixed(0)} ms, ${memoryGrowth.toFixed(0)} MB`;
  } finally {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  }
}

/** Fits into the accept queue of the system (511). */
const connectionBatch = 100;

/**
 * Opens more connections than the limit. The request before each batch ensures that the accept queue is empty: a client
 * dropped from a full queue would appear connected for seconds. @throws Error if more than the limit stay open.
 */
async function runTooMany({ url }: ServedProcess): Promise<string> {
  const sockets: Socket[] = [];
  try {
    while (sockets.length < maxConnections + 4 * connectionBatch) {
      await measureRequest(url);
      sockets.push(...(await openMany(url, connectionBatch)));
    }
    const open = await waitForClosed(sockets, maxConnections, 5);
    assertThat(open <= maxConnections, `${open} connections are open, the limit is ${maxConnections}`);
    return `${open} of ${sockets.length} accepted`;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

const tooManyName = 'exceed the connection limit';
const behaviorNames = [...Object.keys(createBehaviors('')), tooManyName];

/** Runs one behavior on a separate server. */
async function runRound(name: string): Promise<string> {
  await using sandbox = await Sandbox.make();
  const limits = ['--request-timeout', String(requestTimeout), '--max-connections', String(maxConnections)];
  const server = await sandbox.serve(['--store', 'memory', ...limits]);
  const { IAM_CLIENT_ID: clientId = '', IAM_CLIENT_SECRET: clientSecret = '' } = server.variables;
  const behavior = createBehaviors(basicAuthorization({ clientId, clientSecret }))[name];
  // Awaited here: the server ends with this function.
  return behavior === undefined ? await runTooMany(server) : await runBehavior(server, name, behavior);
}

/** Runs rounds; the seed of each selects the behavior. */
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
  about: 'a thousand slow or greedy connections are closed, use little memory and do not delay other requests',
  run: runSlowClients,
};

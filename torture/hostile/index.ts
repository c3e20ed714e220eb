/**
 * `greedy`: a thousand who say nothing, or a byte now and then, or read nothing of what they asked for, hold a server of
 * their own process; how long everybody else waits meanwhile is measured.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { servicePrefix } from '../../src/contract/prefix.ts';
import { Sandbox } from '../../test/e2e/cli-process.ts';
import { requireThat } from '../races/race.ts';
import { type Budget, type Finding, rounds, type Suite } from '../suite.ts';

const greedy = 1000;
const calls = 300;
/** Milliseconds that one call in a hundred may take while they are there (a burst on a busy machine takes as long). */
const most = 250;

type Kind = (socket: Socket) => void;

const login = `POST ${servicePrefix}/client-identities/login HTTP/1.1\r\nHost: here\r\n`;

/** What each kind of them does, at once and then every 100 ms. */
const kinds: Readonly<Record<string, { readonly first: Kind; readonly again: Kind }>> = {
  'say nothing': { first: () => {}, again: () => {} },
  'send headers slowly': {
    first: (socket) => socket.write('GET /healthz HTTP/1.1\r\nHost: here\r\n'),
    again: (socket) => socket.write('X-A: b\r\n'),
  },
  'send a body slowly': {
    first: (socket) => socket.write(`${login}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n`),
    again: (socket) => socket.write(' '),
  },
  'read nothing': {
    first: (socket) => socket.pause(),
    again: (socket) =>
      void (
        socket.writableLength === 0 &&
        socket.write(`GET ${servicePrefix}/keys HTTP/1.1\r\nHost: here\r\n\r\n`.repeat(20))
      ),
  },
};

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

/** The milliseconds that 99 of 100 calls took at most. */
async function latency(url: string): Promise<number> {
  const took: number[] = [];
  for (let at = 0; at < calls; at += 1) {
    const startedAt = performance.now();
    const answer = await fetch(`${url}/healthz`);
    await answer.arrayBuffer();
    requireThat(answer.status === 200, `a call was answered ${answer.status}`);
    took.push(performance.now() - startedAt);
  }
  return took.toSorted((a, b) => a - b)[Math.floor(calls * 0.99)] ?? Number.POSITIVE_INFINITY;
}

/** One kind of them, against the same calls without them. @throws Error where others wait for them. */
async function round(kind: string): Promise<string> {
  const { first, again } = kinds[kind] ?? { first: () => {}, again: () => {} };
  await using sandbox = await Sandbox.make();
  const { url, child } = await sandbox.serve(['--store', 'memory', '--request-timeout', '10']);
  const alone = await latency(url);
  const sockets = await Promise.all(Array.from({ length: greedy }, () => open(url)));
  for (const socket of sockets) first(socket);
  const going = setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed) again(socket);
  }, 100);
  try {
    const meanwhile = await latency(url);
    requireThat(child.exitCode === null, 'the server ended');
    requireThat(
      meanwhile < Math.max(most, 5 * alone),
      `${greedy} who ${kind}: others wait ${meanwhile.toFixed(0)} ms, and ${alone.toFixed(0)} without them`,
    );
    return `${kind}: ${alone.toFixed(0)} -> ${meanwhile.toFixed(0)} ms`;
  } finally {
    clearInterval(going);
    for (const socket of sockets) socket.destroy();
  }
}

async function run(budget: Budget): Promise<Finding[]> {
  const names = Object.keys(kinds);
  const told: string[] = [];
  const most = { ...budget, count: Math.min(budget.count, names.length) };
  const { findings } = await rounds('greedy', most, async (seed) => {
    told.push(await round(names[(seed - budget.seed) % names.length] ?? ''));
  });
  budget.log(told.join(', '));
  return findings;
}

export const greedySuite: Suite = {
  name: 'greedy',
  about: 'a thousand slow or greedy connections do not make the others wait',
  run,
};

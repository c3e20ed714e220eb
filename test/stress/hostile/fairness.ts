/**
 * `fairness`: one address sends logins as fast as the server responds and holds the maximum number of connections.
 * Correct logins from other addresses must succeed within a limit, and two overloading sources get equal shares.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { hashPassword } from '../../../src/server/users/passwords.ts';
import { Sandbox } from '../../e2e/cli-process.ts';
import { assertThat } from '../races/race.ts';
import { type Budget, type Finding, runRounds, type Suite } from '../suite.ts';

const appId = 'fairness-app';
const password = 'a pass phrase for tests only';

const maxConnections = 600;
/** Concurrent logins of a flood; the rest of its connections are idle. */
const floodLogins = 450;
/** Pause between a rejection and the next login. */
const pauseMilliseconds = 100;
/** Other callers, each with a separate address; each logs in repeatedly. */
const otherCallers = 4;
const loginsOfEach = 25;
/** Maximum factor by which the flood may slow down the 99th percentile of other logins. */
const maxRatio = 8;
/** Milliseconds that are always accepted, as the flood also occupies the cores of this machine. */
const maxMilliseconds = 1000;
/** Total logins of two sources before their shares are compared, and the accepted ratio. */
const sharedLogins = 100;
const maxShareRatio = 1.25;
/** Other load on the machine can delay the clients of one source more than those of the other. */
const maxShareTries = 3;

/** Enough users that no name reaches its attempt limit. */
const usersOfEach = 100;
const addresses = ['127.0.0.2', '127.0.0.3', ...Array.from({ length: otherCallers }, (_, at) => `127.0.0.${10 + at}`)];

function buildUserName(address: string, number: number): string {
  return `user-${number}-of-${address}`;
}

async function buildSeed() {
  const passwordHash = await hashPassword(password);
  const names = addresses.flatMap((address) =>
    Array.from({ length: usersOfEach }, (_, at) => buildUserName(address, at)),
  );
  return { users: names.map((userName, at) => ({ userId: `u${at}`, userName, passwordHash })) };
}

/** Logs in separate users from one loopback address. */
class LoginCaller {
  readonly localAddress: string;
  readonly #url: string;
  readonly #agent: Agent;
  #logins = 0;

  constructor(url: string, localAddress: string, connections: number) {
    this.#url = `${url}${servicePrefix}/user-identities/login?clientId=${appId}`;
    this.localAddress = localAddress;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** @returns the status, or 0 if the connection was closed. */
  logIn(): Promise<number> {
    this.#logins += 1;
    const name = buildUserName(this.localAddress, this.#logins % usersOfEach);
    const headers = { authorization: `Basic ${btoa(`${name}:${password}`)}`, 'content-length': '0' };
    const options = { agent: this.#agent, localAddress: this.localAddress, method: 'POST', headers };
    return new Promise((resolve) => {
      request(this.#url, options, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
        response.once('error', () => resolve(0));
      })
        .once('error', () => resolve(0))
        .end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Sends `concurrency` logins at a time until it is closed. */
class Flood {
  readonly #caller: LoginCaller;
  readonly #idle: Socket[] = [];
  #ended = false;
  rejected = 0;

  /** @param onGranted is called for each successful login. */
  constructor(caller: LoginCaller, concurrency: number, onGranted: () => void = () => undefined) {
    this.#caller = caller;
    for (let at = 0; at < concurrency; at += 1) void this.#loop(onGranted);
  }

  async #loop(onGranted: () => void): Promise<void> {
    while (!this.#ended) {
      const status = await this.#caller.logIn();
      if (status === 201) onGranted();
      if (status === 201) continue;
      this.rejected += 1;
      // Hundreds of logins per second still fill the queue; more would only measure this process.
      await setTimeout(pauseMilliseconds);
    }
  }

  /** Opens idle connections. */
  async openIdle(url: string, count: number): Promise<void> {
    const { hostname, port } = new URL(url);
    for (let at = 0; at < count; at += 1) {
      const socket = connect({ host: hostname, port: Number(port), localAddress: this.#caller.localAddress });
      socket.on('error', () => {});
      this.#idle.push(socket.resume());
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    }
  }

  /** Resolves when the queue is full and the initial burst of connections is over. */
  async waitUntilFull(): Promise<void> {
    while (this.rejected < floodLogins) await setTimeout(pauseMilliseconds);
  }

  close(): void {
    this.#ended = true;
    this.#caller.close();
    for (const socket of this.#idle) socket.destroy();
  }
}

/** All other callers log in, sequentially each. @returns the 99th percentile in milliseconds. */
async function measureOtherLogins(url: string): Promise<number> {
  const durations: number[] = [];
  const callers = Array.from({ length: otherCallers }, (_, at) => new LoginCaller(url, `127.0.0.${10 + at}`, 1));
  await Promise.all(
    callers.map(async (caller) => {
      for (let at = 0; at < loginsOfEach; at += 1) {
        const startedAt = performance.now();
        const status = await caller.logIn();
        assertThat(status === 201, `a correct login during the flood returned ${status}`);
        durations.push(performance.now() - startedAt);
      }
      caller.close();
    }),
  );
  return durations.toSorted((a, b) => a - b)[Math.floor(durations.length * 0.99)] ?? Number.POSITIVE_INFINITY;
}

/** One address floods and holds connections. @throws Error if other logins are rejected or too slow. */
async function measureDuringFlood(url: string): Promise<string> {
  const alone = await measureOtherLogins(url);
  const flood = new Flood(new LoginCaller(url, '127.0.0.2', floodLogins), floodLogins);
  try {
    await flood.openIdle(url, maxConnections - floodLogins);
    await flood.waitUntilFull();
    const during = await measureOtherLogins(url);
    const message = `other logins take ${during.toFixed(0)} ms during the flood, ${alone.toFixed(0)} ms without`;
    assertThat(during < Math.max(maxMilliseconds, maxRatio * alone), message);
    return `${message}; ${flood.rejected} logins of the flood rejected`;
  } finally {
    flood.close();
  }
}

/** @throws Error if the shares of two sources differ too much in every try. */
async function measureShares(url: string): Promise<string> {
  for (let tries = 1; tries < maxShareTries; tries += 1) {
    const message = await compareShares(url).catch(() => undefined);
    if (message !== undefined) return message;
  }
  return compareShares(url);
}

/** Two addresses overload the server, one of them far more. @throws Error if their shares differ too much. */
async function compareShares(url: string): Promise<string> {
  const granted: ('many' | 'few')[] = [];
  const enough = new AbortController();
  const count = (source: 'many' | 'few') => () => {
    granted.push(source);
    if (granted.length - granted.indexOf('few') > sharedLogins && granted.includes('few')) enough.abort();
  };
  const many = new Flood(new LoginCaller(url, '127.0.0.2', floodLogins), floodLogins, count('many'));
  const few = new Flood(new LoginCaller(url, '127.0.0.3', 20), 20, count('few'));
  try {
    await once(enough.signal, 'abort');
    // Until the second source starts, the first one is served alone.
    const shared = granted.slice(granted.indexOf('few'));
    const ofFew = shared.filter((source) => source === 'few').length;
    const message = `of ${shared.length} logins, 20 concurrent ones got ${ofFew} and ${floodLogins} concurrent ones the rest`;
    const [min, max] = [ofFew, shared.length - ofFew].toSorted((a, b) => a - b);
    assertThat((max ?? 0) <= maxShareRatio * (min ?? 0), message);
    return message;
  } finally {
    many.close();
    few.close();
  }
}

const scenarios = [measureShares, measureDuringFlood];

/** Runs the scenario that the seed selects, on a separate server. */
async function runRound(roundSeed: number): Promise<string> {
  await using sandbox = await Sandbox.make();
  const file = sandbox.file('seed.json');
  await writeFile(file, JSON.stringify(await buildSeed()));
  const limits = ['--max-connections', String(maxConnections)];
  const server = await sandbox.serve(['--store', 'memory', '--seed', file, ...limits], { IAM_APP_CLIENT_ID: appId });
  // Awaited here: the server ends with this function.
  return await (scenarios[roundSeed % scenarios.length] ?? measureShares)(server.url);
}

async function runFairness(budget: Budget): Promise<Finding[]> {
  if (process.platform !== 'linux') {
    budget.log('skipped: only Linux accepts all addresses of 127.0.0.0/8');
    return [];
  }
  const message: string[] = [];
  const once = { ...budget, count: Math.min(budget.count, scenarios.length) };
  const { findings } = await runRounds('fairness', once, async (roundSeed) => {
    message.push(await runRound(roundSeed));
  });
  budget.log(message.join('; '));
  return findings;
}

export const fairnessSuite: Suite = {
  name: 'fairness',
  about: 'a flood of logins from one address that also holds all connections does not starve other callers',
  run: runFairness,
};

/**
 * `fairness`: one address logs in as fast as the server answers and holds all connections that it may, beside callers
 * from other addresses. Each right login of the others has to succeed in a stated time, and two sources that both ask
 * for more than there is get equal shares.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { hashPassword } from '../../../src/server/identity/passwords.ts';
import { Sandbox } from '../../e2e/cli-process.ts';
import { assertThat } from '../races/race.ts';
import { type Budget, type Finding, runRounds, type Suite } from '../suite.ts';

const appId = 'fairness-app';
const password = 'a pass phrase that nobody guesses';

const maxConnections = 600;
/** Logins that a flood has under way; the rest of its connections say nothing. */
const floodLogins = 450;
/** Between a refusal and the next login in its place. */
const pauseMilliseconds = 100;
/** Each of the others is at an address of its own, and logs in again and again. */
const otherCallers = 4;
const loginsOfEach = 25;
/** A login of the others may take so many times as long beside the flood, in 99 of 100 cases. */
const mostRatio = 8;
/** Milliseconds that it may take in any case: the flood keeps the cores of this machine busy as well. */
const mostMilliseconds = 1000;
/** Logins that two sources get together before their shares are compared, and how unequal these may be. */
const sharedLogins = 100;
const mostUnequal = 1.25;

/** So many that the attempts for one name are never too many. */
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

/** Logs in users of its own from an address of this machine. */
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

  /** @returns the status, or 0 where the connection was closed. */
  logIn(): Promise<number> {
    this.#logins += 1;
    const name = buildUserName(this.localAddress, this.#logins % usersOfEach);
    const headers = { authorization: `Basic ${btoa(`${name}:${password}`)}`, 'content-length': '0' };
    const options = { agent: this.#agent, localAddress: this.localAddress, method: 'POST', headers };
    return new Promise((resolve) => {
      request(this.#url, options, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
        answer.once('error', () => resolve(0));
      })
        .once('error', () => resolve(0))
        .end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Logs in as often as is answered, so many times at once, until it is closed. */
class Flood {
  readonly #caller: LoginCaller;
  readonly #idle: Socket[] = [];
  #ended = false;
  rejected = 0;

  /** @param onGranted is called with each login. */
  constructor(caller: LoginCaller, atOnce: number, onGranted: () => void = () => undefined) {
    this.#caller = caller;
    for (let at = 0; at < atOnce; at += 1) void this.#loop(onGranted);
  }

  async #loop(onGranted: () => void): Promise<void> {
    while (!this.#ended) {
      const status = await this.#caller.logIn();
      if (status === 201) onGranted();
      if (status === 201) continue;
      this.rejected += 1;
      // Still some hundreds a second, which keep the queue full: more would only measure this process, which sends them.
      await setTimeout(pauseMilliseconds);
    }
  }

  /** Opens connections that say nothing. */
  async openIdle(url: string, count: number): Promise<void> {
    const { hostname, port } = new URL(url);
    for (let at = 0; at < count; at += 1) {
      const socket = connect({ host: hostname, port: Number(port), localAddress: this.#caller.localAddress });
      socket.on('error', () => {});
      this.#idle.push(socket.resume());
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    }
  }

  /** Resolves once the queue is full, and the server has got over so many connections at once. */
  async waitUntilFull(): Promise<void> {
    while (this.rejected < floodLogins) await setTimeout(pauseMilliseconds);
  }

  close(): void {
    this.#ended = true;
    this.#caller.close();
    for (const socket of this.#idle) socket.destroy();
  }
}

/** All others log in, one login of each at a time. @returns the milliseconds that 99 of 100 took at most. */
async function measureOtherLogins(url: string): Promise<number> {
  const took: number[] = [];
  const callers = Array.from({ length: otherCallers }, (_, at) => new LoginCaller(url, `127.0.0.${10 + at}`, 1));
  await Promise.all(
    callers.map(async (caller) => {
      for (let at = 0; at < loginsOfEach; at += 1) {
        const startedAt = performance.now();
        const status = await caller.logIn();
        assertThat(status === 201, `a right login beside the flood was answered ${status}`);
        took.push(performance.now() - startedAt);
      }
      caller.close();
    }),
  );
  return took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.POSITIVE_INFINITY;
}

/** One address floods and holds connections. @throws Error where the others are refused or wait too long. */
async function measureBesideFlood(url: string): Promise<string> {
  const alone = await measureOtherLogins(url);
  const flood = new Flood(new LoginCaller(url, '127.0.0.2', floodLogins), floodLogins);
  try {
    await flood.openIdle(url, maxConnections - floodLogins);
    await flood.waitUntilFull();
    const beside = await measureOtherLogins(url);
    const message = `logins of others take ${beside.toFixed(0)} ms, and ${alone.toFixed(0)} without the flood`;
    assertThat(beside < Math.max(mostMilliseconds, mostRatio * alone), message);
    return `${message}; ${flood.rejected} of the flood rejected`;
  } finally {
    flood.close();
  }
}

/** Two addresses that ask for more than there is, one of them for far more. @throws Error where it gets more. */
async function measureShares(url: string): Promise<string> {
  const granted: ('many' | 'few')[] = [];
  const got = new AbortController();
  const note = (who: 'many' | 'few') => () => {
    granted.push(who);
    if (granted.length - granted.indexOf('few') > sharedLogins && granted.includes('few')) got.abort();
  };
  const many = new Flood(new LoginCaller(url, '127.0.0.2', floodLogins), floodLogins, note('many'));
  const few = new Flood(new LoginCaller(url, '127.0.0.3', 20), 20, note('few'));
  try {
    await once(got.signal, 'abort');
    // Before, the first to come was served alone.
    const shared = granted.slice(granted.indexOf('few'));
    const ofFew = shared.filter((who) => who === 'few').length;
    const message = `of ${shared.length} logins, 20 at once got ${ofFew} and ${floodLogins} at once the others`;
    const [least, most] = [ofFew, shared.length - ofFew].toSorted((a, b) => a - b);
    assertThat((most ?? 0) <= mostUnequal * (least ?? 0), message);
    return message;
  } finally {
    many.close();
    few.close();
  }
}

const scenarios = [measureShares, measureBesideFlood];

/** A round is one kind, which its seed says, on a server of its own. */
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
    budget.log('skipped: only Linux answers on every address of 127.0.0.0/8');
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
  about: 'a flood of logins from one address, which holds all connections too, takes no other caller its share',
  run: runFairness,
};

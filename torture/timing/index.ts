/**
 * `timing`: whether somebody who may not log in is there, is locked, or has a password at all must not be told by how
 * long the refusal takes; nor whether a client is there. Samples are taken in turn from a process of its own.
 */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { servicePrefix } from '../../src/contract/prefix.ts';
import { Sandbox } from '../../test/e2e/cli-process.ts';
import { drawer } from '../races/race.ts';
import { type Budget, type Finding, goesOn, type Suite } from '../suite.ts';
import { areaUnderCurve, median, tolerance } from './ranks.ts';

const appId = 'timing-app';
const password = 'a pass phrase that nobody guesses';
const seed = {
  clients: [{ clientId: 'known', appId: 'a', clientSecret: 'a-secret-that-nobody-guesses' }],
  users: [
    { userId: 'alice', userName: 'alice', password },
    { userId: 'bob', userName: 'bob', password, locked: true },
    { userId: 'carol', userName: 'carol' },
  ],
};

/** Kinds of refusals that must not be told apart, each by the name and the secret that it is asked with. */
interface Question {
  readonly about: string;
  readonly path: string;
  /** The first is what the others are compared with. */
  readonly kinds: Readonly<Record<string, () => readonly [name: string, secret: string]>>;
  /** Samples of each kind. */
  readonly wanted: number;
}

const questions: readonly Question[] = [
  {
    about: 'users',
    path: `/user-identities/login?clientId=${appId}`,
    kinds: {
      'wrong password': () => ['alice', `wrong ${randomUUID()}`],
      'unknown user': () => [randomUUID(), password],
      'locked user, right password': () => ['bob', password],
      'locked user, wrong password': () => ['bob', `wrong ${randomUUID()}`],
      'user without a password': () => ['carol', password],
    },
    wanted: 2000,
  },
  {
    about: 'clients',
    path: '/client-identities/login',
    kinds: {
      'wrong secret': () => ['known', randomUUID()],
      'unknown client': () => [randomUUID(), randomUUID()],
      'client without a secret': () => [appId, randomUUID()],
    },
    wanted: 2000,
  },
];

/** Milliseconds that a refusal took. @throws Error where it is none. */
function measure(url: string, agent: Agent, path: string, [name, secret]: readonly [string, string]): Promise<number> {
  const headers = { authorization: `Basic ${btoa(`${name}:${secret}`)}`, 'content-length': '0' };
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(url + servicePrefix + path, { method: 'POST', agent, headers }, (incoming) => {
      const took = performance.now() - startedAt;
      incoming
        .resume()
        .once('end', () =>
          incoming.statusCode === 401 ? resolve(took) : reject(new Error(`answered ${incoming.statusCode}`)),
        );
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}

/** Asks each kind in turn, in an order that is drawn anew each time. @returns what each took. */
async function sample(url: string, { path, kinds, wanted }: Question, budget: Budget): Promise<Map<string, number[]>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const names = Object.keys(kinds);
  const taken = new Map(names.map((name): [string, number[]] => [name, []]));
  const draw = drawer(budget.seed);
  const most = Math.min(wanted, budget.count);
  for (let round = -20; round < 30 || (round < most && goesOn({ ...budget, count: most }, round)); round += 1)
    for (const name of names.toSorted(() => draw() - 0.5)) {
      const took = await measure(url, agent, path, kinds[name]?.() ?? ['', '']);
      // The first ones warm up what is compiled and loaded late.
      if (round >= 0) taken.get(name)?.push(took);
    }
  agent.destroy();
  return taken;
}

/** What can be told apart, in words. */
export function telltales(about: string, taken: ReadonlyMap<string, readonly number[]>): string[] {
  const [[first = '', base = []] = [], ...others] = taken;
  const most = tolerance(base.length);
  return others.flatMap(([name, values]) => {
    const area = areaUnderCurve(base, values);
    const gap = median(values) / median(base) - 1;
    const told = `${about}: "${name}" against "${first}", ${base.length} samples: area ${area.toFixed(3)}, median ${(gap * 100).toFixed(1)} %`;
    return Math.abs(area - 0.5) > most ? [told] : [];
  });
}

/** One round tells nothing here, so all of them are asked for. */
const again = 'npm run torture -- --only timing --minutes 10';

async function run(budget: Budget): Promise<Finding[]> {
  await using sandbox = await Sandbox.make();
  await writeFile(sandbox.file('seed.json'), JSON.stringify(seed));
  const words = ['--store', 'memory', '--disable-rate-limits', '--seed', sandbox.file('seed.json')];
  const { url } = await sandbox.serve(words, { IAM_APP_CLIENT_ID: appId });
  const findings: Finding[] = [];
  const counts: string[] = [];
  // Clients first: they take no hash, and so next to no time.
  for (const question of questions.toReversed()) {
    const taken = await sample(url, question, budget);
    counts.push(`${taken.values().next().value?.length} samples of ${taken.size} kinds of ${question.about}`);
    for (const what of telltales(question.about, taken)) findings.push({ what, reproduce: again });
  }
  budget.log(counts.join(', '));
  return findings;
}

export const timingSuite: Suite = {
  name: 'timing',
  about: 'how long a refusal takes tells nothing of who is there',
  run,
};

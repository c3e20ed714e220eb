/**
 * `timing`: whether somebody who may not log in is there, is locked, or has a password at all must not be told by how
 * long the refusal takes; nor whether a client is there. Samples are taken in turn from a process of its own.
 */
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { Sandbox } from '../../e2e/cli-process.ts';
import { createRandom } from '../races/race.ts';
import { type Budget, type Finding, hasBudget, type Suite } from '../suite.ts';
import { appId, type Probe, type ProbeRequest, password, probes, seed } from './probes.ts';
import { areaUnderCurve, median, tolerance } from './rank-statistics.ts';

/** Samples of each class. */
const samplesPerClass = 2000;

/** Milliseconds that an answer took. @throws Error where it is another one than every class gets. */
function measure(url: string, agent: Agent, { path, headers, body }: ProbeRequest, status: number): Promise<number> {
  const length = { 'content-length': String(Buffer.byteLength(body ?? '')) };
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { ...headers, ...length } };
    const outgoing = request(url + servicePrefix + path, options, (incoming) => {
      const took = performance.now() - startedAt;
      incoming
        .resume()
        .once('end', () =>
          incoming.statusCode === status ? resolve(took) : reject(new Error(`answered ${incoming.statusCode}`)),
        );
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

interface Target {
  readonly url: string;
  /** Of the user who is signed in. */
  readonly authorization: string;
}

type Timings = Map<string, number[]>;

/**
 * Asks for each class of each probe in turn, in an order that is drawn anew each time, so that what else the machine does
 * meets all of them alike. @returns what each took.
 */
async function takeSamples(target: Target, group: readonly Probe[], budget: Budget): Promise<Map<Probe, Timings>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const draw = createRandom(budget.seed);
  const timings = new Map(
    group.map((probe): [Probe, Timings] => [probe, new Map(Object.keys(probe.classes).map((name) => [name, []]))]),
  );
  const most = Math.min(samplesPerClass, budget.count);
  for (let round = -20; round < 30 || (round < most && hasBudget({ ...budget, count: most }, round)); round += 1) {
    // Thousands of messages to one contact, as nobody has, would take longer to add to.
    if (round % 20 === 0) await fetch(`${target.url}/_iam/inbox`, { method: 'DELETE' });
    for (const [probe, times] of timings) {
      const names = shuffle([...times.keys()], draw);
      // The first call after those of another probe finds caches cold, whichever class it is of; it does not count.
      await measureClass(target, agent, probe, names.at(-1) ?? '');
      for (const name of names) {
        const took = await measureClass(target, agent, probe, name);
        // The first ones warm up what is compiled and loaded late.
        if (round >= 0) times.get(name)?.push(took);
      }
    }
  }
  agent.destroy();
  return timings;
}

/** Every order is as likely as any other. */
function shuffle<Item>(items: readonly Item[], draw: () => number): Item[] {
  const order = items.map((item) => ({ item, at: draw() }));
  return order.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}

function measureClass({ url, authorization }: Target, agent: Agent, probe: Probe, name: string): Promise<number> {
  const identifier = probe.classes[name];
  if (!identifier) throw new Error(`there is no class ${name}`);
  const made = probe.request(identifier);
  const headers = probe.isSignedIn ? { ...made.headers, authorization } : made.headers;
  return measure(url, agent, { ...made, headers }, probe.status);
}

/** What can be told apart, in words. */
export function findLeaks(about: string, timings: ReadonlyMap<string, readonly number[]>): string[] {
  const [[first = '', base = []] = [], ...others] = timings;
  const most = tolerance(base.length);
  return others.flatMap(([name, values]) => {
    const area = areaUnderCurve(base, values);
    const gap = median(values) / median(base) - 1;
    const message = `${about}: "${name}" against "${first}", ${base.length} samples: area ${area.toFixed(3)}, median ${(gap * 100).toFixed(1)} %`;
    return Math.abs(area - 0.5) > most ? [message] : [];
  });
}

/** One round tells nothing here, so all of them are asked for. */
const reproduceCommand = 'npm run torture -- --only timing --minutes 10';

/** A token of a user who is signed in, for the probes that need one. */
async function login(url: string): Promise<string> {
  const answer = await fetch(`${url}${servicePrefix}/user-identities/login?clientId=${appId}`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`erin:${password}`)}` },
  });
  const { accessToken } = (await answer.json()) as { accessToken: string };
  return `Bearer ${accessToken}`;
}

async function run(budget: Budget): Promise<Finding[]> {
  await using sandbox = await Sandbox.make();
  await writeFile(sandbox.file('seed.json'), JSON.stringify(seed));
  const words = ['--store', 'memory', '--disable-rate-limits', '--seed', sandbox.file('seed.json')];
  const { url } = await sandbox.serve(words, { IAM_APP_CLIENT_ID: appId });
  const target = { url, authorization: await login(url) };
  const findings: Finding[] = [];
  // Those that take a password hash last: they need most of the time.
  for (const slow of [false, true]) {
    const group = probes.filter((probe) => isHashing(probe) === slow);
    for (const [probe, timings] of await takeSamples(target, group, budget)) {
      const about = `${probe.operation} (${probe.about})`;
      budget.log(formatFigures(about, timings));
      for (const what of findLeaks(about, timings)) findings.push({ problem: what, reproduce: reproduceCommand });
    }
  }
  return findings;
}

function isHashing({ operation, about }: Probe): boolean {
  const logins: readonly string[] = ['client-identities.connect-token', 'generate-token.create'];
  return operation.includes('.login') ? about !== 'client' : about === 'user' && logins.includes(operation);
}

/** How well each class can be told from the first one. */
function formatFigures(about: string, timings: ReadonlyMap<string, readonly number[]>): string {
  const [[, base = []] = [], ...others] = timings;
  const areas = others.map(([name, values]) => `${name} ${areaUnderCurve(base, values).toFixed(3)}`);
  return `${about}: ${base.length} samples, areas: ${areas.join(', ')}`;
}

export const timingSuite: Suite = {
  name: 'timing',
  about: 'how long an answer takes tells nothing of who is there',
  run,
};

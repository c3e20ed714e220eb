/**
 * `timing`: the time of a rejection must not reveal whether a user exists, is locked or has a password, nor whether a
 * client exists. Takes samples in turn from a server in a separate process.
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

/** Returns the milliseconds of a response. @throws Error if its status differs from that of all classes. */
function measure(url: string, agent: Agent, { path, headers, body }: ProbeRequest, status: number): Promise<number> {
  const length = { 'content-length': String(Buffer.byteLength(body ?? '')) };
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { ...headers, ...length } };
    const outgoing = request(url + servicePrefix + path, options, (incoming) => {
      const duration = performance.now() - startedAt;
      incoming
        .resume()
        .once('end', () =>
          incoming.statusCode === status
            ? resolve(duration)
            : reject(new Error(`unexpected status ${incoming.statusCode}`)),
        );
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

interface Target {
  readonly url: string;
  /** The credentials of the signed-in user. */
  readonly authorization: string;
}

type Timings = Map<string, number[]>;

/**
 * Samples each class of each probe in turn, in random order, so that other load on the machine affects all classes
 * alike. @returns the times of each class.
 */
async function takeSamples(target: Target, group: readonly Probe[], budget: Budget): Promise<Map<Probe, Timings>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const draw = createRandom(budget.seed);
  const timings = new Map(
    group.map((probe): [Probe, Timings] => [probe, new Map(Object.keys(probe.classes).map((name) => [name, []]))]),
  );
  const max = Math.min(samplesPerClass, budget.count);
  for (let round = -20; round < 30 || (round < max && hasBudget({ ...budget, count: max }, round)); round += 1) {
    // Clears the inbox, as thousands of messages to one contact would slow down sending.
    if (round % 20 === 0) await fetch(`${target.url}/_iam/inbox`, { method: 'DELETE' });
    for (const [probe, times] of timings) {
      const names = shuffle([...times.keys()], draw);
      // The first request after another probe finds cold caches and is not counted.
      await measureClass(target, agent, probe, names.at(-1) ?? '');
      for (const name of names) {
        const duration = await measureClass(target, agent, probe, name);
        // Negative rounds are warm-up.
        if (round >= 0) times.get(name)?.push(duration);
      }
    }
  }
  agent.destroy();
  return timings;
}

/** Returns the items in a uniformly random order. */
function shuffle<Item>(items: readonly Item[], draw: () => number): Item[] {
  const order = items.map((item) => ({ item, at: draw() }));
  return order.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}

function measureClass({ url, authorization }: Target, agent: Agent, probe: Probe, name: string): Promise<number> {
  const identifier = probe.classes[name];
  if (!identifier) throw new Error(`unknown class ${name}`);
  const draft = probe.request(identifier);
  const headers = probe.isSignedIn ? { ...draft.headers, authorization } : draft.headers;
  return measure(url, agent, { ...draft, headers }, probe.status);
}

/** Describes each class that can be distinguished from the first one by time. */
function findLeaks(about: string, timings: ReadonlyMap<string, readonly number[]>): string[] {
  const [[first = '', base = []] = [], ...others] = timings;
  const max = tolerance(base.length);
  return others.flatMap(([name, values]) => {
    const area = areaUnderCurve(base, values);
    const difference = median(values) / median(base) - 1;
    const message = `${about}: "${name}" against "${first}", ${base.length} samples: area ${area.toFixed(3)}, median ${(difference * 100).toFixed(1)} %`;
    return Math.abs(area - 0.5) > max ? [message] : [];
  });
}

/** A single round is not significant, so the command runs all of them. */
const reproduceCommand = 'npm run stress -- --only timing --minutes 10';

/** Signs in and returns the bearer token for the probes that need one. */
async function login(url: string): Promise<string> {
  const response = await fetch(`${url}${servicePrefix}/user-identities/login?clientId=${appId}`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`erin:${password}`)}` },
  });
  const { accessToken } = (await response.json()) as { accessToken: string };
  return `Bearer ${accessToken}`;
}

async function run(budget: Budget): Promise<Finding[]> {
  await using sandbox = await Sandbox.make();
  await writeFile(sandbox.file('seed.json'), JSON.stringify(seed));
  const args = ['--store', 'memory', '--disable-rate-limits', '--seed', sandbox.file('seed.json')];
  const { url } = await sandbox.serve(args, { IAM_APP_CLIENT_ID: appId });
  const target = { url, authorization: await login(url) };
  const findings: Finding[] = [];
  // Probes with a password hash run last, as they need most of the time.
  for (const hashing of [false, true]) {
    const group = probes.filter((probe) => isHashing(probe) === hashing);
    for (const [probe, timings] of await takeSamples(target, group, budget)) {
      const about = `${probe.operation} (${probe.about})`;
      budget.log(formatFigures(about, timings));
      for (const problem of findLeaks(about, timings)) findings.push({ problem, reproduce: reproduceCommand });
    }
  }
  return findings;
}

function isHashing({ operation, about }: Probe): boolean {
  const logins: readonly string[] = ['client-identities.connect-token', 'generate-token.create'];
  return operation.includes('.login') ? about !== 'client' : about === 'user' && logins.includes(operation);
}

/** Formats how well each class can be distinguished from the first one. */
function formatFigures(about: string, timings: ReadonlyMap<string, readonly number[]>): string {
  const [[, base = []] = [], ...others] = timings;
  const areas = others.map(([name, values]) => `${name} ${areaUnderCurve(base, values).toFixed(3)}`);
  return `${about}: ${base.length} samples, areas: ${areas.join(', ')}`;
}

export const timingSuite: Suite = {
  name: 'timing',
  about: 'the time of a rejection does not reveal whether a user or client exists',
  run,
};

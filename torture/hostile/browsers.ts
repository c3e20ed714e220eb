/**
 * `browsers`: every combination of Host, Origin, Fetch Metadata, method and type of body that a page can make a browser
 * send, and more, to each part of a server. What is refused is told by an oracle that knows the rules and none of the code.
 */
import { adminClient, startServer, type TestServer } from '../../test/harness.ts';
import { send, type WireAnswer } from '../../test/server/control/calls.ts';
import { freePort } from '../../test/server/free-port.ts';
import { requireThat } from '../races/race.ts';
import { type Budget, type Finding, rounds, type Suite } from '../suite.ts';
import { type browserPlants, type Case, caseOf, combinations, existingSandbox, expectedOf } from './browser-cases.ts';

/** Combinations of a round. */
const drawn = 1000;
/** A step through all of them that has no divisor in common with their number, so that rounds repeat none. */
const stride = 7919 * 7927;

/** Defects of a server, as it would be if it never looked at these headers. */
const blindTo: Readonly<Record<string, readonly string[]>> & Record<keyof typeof browserPlants, readonly string[]> = {
  'ignore-host': ['Host'],
  'ignore-origin': ['Origin'],
  'ignore-fetch-metadata': ['Sec-Fetch-Site', 'Sec-Fetch-Mode', 'Sec-Fetch-Dest'],
};

const basic = {
  Authorization: `Basic ${Buffer.from(`${adminClient.clientId}:${adminClient.clientSecret}`).toString('base64')}`,
};

async function start(isRemote: boolean): Promise<TestServer> {
  const port = String(await freePort());
  const flags = { port, 'base-url': `https://iam.example:${port}`, 'disable-rate-limits': true };
  const remote = { 'allow-remote': true, 'allowed-host': 'iam.example' };
  const server = await startServer({ flags: isRemote ? { ...flags, ...remote } : flags });
  await server.world.sandboxes.open(existingSandbox, true);
  return server;
}

/** Everything that a request of a case could change. */
async function stateOf({ world, dump }: TestServer): Promise<string> {
  const sandbox = await world.sandboxes.find(existingSandbox, false);
  return JSON.stringify([
    await dump(),
    world.keys.current().kid,
    sandbox?.keys.current().kid,
    world.sandboxes.list().map(({ name }) => name),
  ]);
}

async function sendCase(server: TestServer, { method, path, headers }: Case, plant: string | undefined) {
  const blind = blindTo[plant ?? ''] ?? [];
  const seen = Object.entries(headers).filter(([name]) => !blind.includes(name));
  return send(server, path, { method, headers: { ...Object.fromEntries(seen), ...basic } });
}

/** How the answer looks to the caller: refused by a guard, or not. */
function outcomeOf({ status, body }: WireAnswer, { method }: Case): string {
  const code = Array.isArray(body) ? (body[0] as { code?: string } | undefined)?.code : undefined;
  if (status === 421) return 'HOST_FOREIGN';
  // The answer to HEAD has no body to tell why.
  if (status === 403) return method === 'HEAD' ? 'ORIGIN_FOREIGN' : (code ?? '403');
  return status === 404 && (code === 'SANDBOX_NOT_FOUND' || method === 'HEAD') ? 'SANDBOX_NOT_FOUND' : 'served';
}

/** @throws Error where the oracle expects another outcome, or a refused request changed something. */
async function check(server: TestServer, isRemote: boolean, at: number, plant: string | undefined): Promise<void> {
  const one = caseOf(at, new URL(server.url).port);
  const before = await stateOf(server);
  const answer = await sendCase(server, one, plant);
  const what = `${one.method} ${one.path} ${JSON.stringify(one.headers)}${isRemote ? ' off loopback' : ''}`;
  const expected = expectedOf(one, isRemote);
  const found = outcomeOf(answer, one);
  const isHidden = one.method === 'HEAD' && expected === 'served' && found === 'SANDBOX_NOT_FOUND';
  requireThat(found === expected || isHidden, `${what}: ${found} ${answer.status}, and ${expected} is due`);
  requireThat(answer.status < 500, `${what}: ${answer.status}`);
  const allowed = answer.headers['access-control-allow-origin'];
  requireThat(allowed === undefined || one.mayRead, `${what}: CORS lets ${allowed} read it`);
  if (expected === 'served') {
    for (const { name } of server.world.sandboxes.list())
      if (name !== existingSandbox) server.world.sandboxes.delete(name);
  } else requireThat((await stateOf(server)) === before, `${what}: it was refused, and changed something`);
}

/** One in two rounds is off loopback. */
async function round(seed: number, plant: string | undefined): Promise<void> {
  const isRemote = seed % 2 === 0;
  await using server = await start(isRemote);
  const first = Math.floor(seed / 2) * drawn;
  for (let at = first; at < first + drawn; at += 1)
    await check(server, isRemote, Number((BigInt(at) * BigInt(stride)) % BigInt(combinations)), plant);
}

async function run(budget: Budget): Promise<Finding[]> {
  const { findings, done } = await rounds('browsers', budget, (seed) => round(seed, budget.plant));
  budget.log(`${done * drawn} requests of ${2 * combinations} combinations`);
  return findings;
}

export const browsersSuite: Suite = {
  name: 'browsers',
  about: 'no page of another site reaches the control plane, makes a sandbox or changes anything',
  run,
};

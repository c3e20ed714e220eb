/**
 * `browsers`: every combination of Host, Origin, Fetch Metadata, method and type of body that a page can make a browser
 * send, and more, to each part of a server. What is refused is told by an oracle that knows the rules and none of the code.
 */
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { type HttpResponse, send } from '../../server/control/control-client.ts';
import { freePort } from '../../server/free-port.ts';
import { assertThat } from '../races/race.ts';
import { type Budget, type Finding, runRounds, type Suite } from '../suite.ts';
import {
  type browserGuardBugs,
  type Case,
  combinations,
  computeExpected,
  createCase,
  existingSandbox,
} from './browser-cases.ts';

/** Combinations of a round. */
const casesPerRound = 1000;
/** A step through all of them that has no divisor in common with their number, so that rounds repeat none. */
const stride = 7919 * 7927;

/** Defects of a server, as it would be if it never looked at these headers. */
const ignoredHeaders: Readonly<Record<string, readonly string[]>> &
  Record<keyof typeof browserGuardBugs, readonly string[]> = {
  'ignore-host': ['Host'],
  'ignore-origin': ['Origin'],
  'ignore-fetch-metadata': ['Sec-Fetch-Site', 'Sec-Fetch-Mode', 'Sec-Fetch-Dest'],
};

const basic = {
  Authorization: `Basic ${Buffer.from(`${adminClient.clientId}:${adminClient.clientSecret}`).toString('base64')}`,
};

async function startTarget(isRemote: boolean): Promise<TestServer> {
  const port = String(await freePort());
  const flags = { port, 'base-url': `https://iam.example:${port}`, 'disable-rate-limits': true };
  const remote = { 'allow-remote': true, 'allowed-host': 'iam.example' };
  const server = await startServer({ flags: isRemote ? { ...flags, ...remote } : flags });
  await server.appContext.sandboxes.open(existingSandbox, true);
  return server;
}

/** Everything that a request of a case could change. */
async function dumpState({ appContext, dump }: TestServer): Promise<string> {
  const sandbox = await appContext.sandboxes.find(existingSandbox, false);
  return JSON.stringify([
    await dump(),
    appContext.keys.current().kid,
    sandbox?.keys.current().kid,
    appContext.sandboxes.list().map(({ name }) => name),
  ]);
}

async function sendCase(server: TestServer, { method, path, headers }: Case, seededBug: string | undefined) {
  const blind = ignoredHeaders[seededBug ?? ''] ?? [];
  const seen = Object.entries(headers).filter(([name]) => !blind.includes(name));
  return send(server, path, { method, headers: { ...Object.fromEntries(seen), ...basic } });
}

/** How the answer looks to the caller: refused by a guard, or not. */
function classifyOutcome({ status, body }: HttpResponse, { method }: Case): string {
  const code = Array.isArray(body) ? (body[0] as { code?: string } | undefined)?.code : undefined;
  if (status === 421) return 'HOST_FOREIGN';
  // The answer to HEAD has no body to tell why.
  if (status === 403) return method === 'HEAD' ? 'ORIGIN_FOREIGN' : (code ?? '403');
  return status === 404 && (code === 'SANDBOX_NOT_FOUND' || method === 'HEAD') ? 'SANDBOX_NOT_FOUND' : 'served';
}

/** @throws Error where the oracle expects another outcome, or a refused request changed something. */
async function checkCase(
  server: TestServer,
  isRemote: boolean,
  at: number,
  seededBug: string | undefined,
): Promise<void> {
  const one = createCase(at, new URL(server.url).port);
  const before = await dumpState(server);
  const answer = await sendCase(server, one, seededBug);
  const what = `${one.method} ${one.path} ${JSON.stringify(one.headers)}${isRemote ? ' off loopback' : ''}`;
  const expected = computeExpected(one, isRemote);
  const found = classifyOutcome(answer, one);
  const isHidden = one.method === 'HEAD' && expected === 'served' && found === 'SANDBOX_NOT_FOUND';
  assertThat(found === expected || isHidden, `${what}: ${found} ${answer.status}, and ${expected} is due`);
  assertThat(answer.status < 500, `${what}: ${answer.status}`);
  const allowed = answer.headers['access-control-allow-origin'];
  assertThat(allowed === undefined || one.mayRead, `${what}: CORS lets ${allowed} read it`);
  if (expected === 'served') {
    for (const { name } of server.appContext.sandboxes.list())
      if (name !== existingSandbox) server.appContext.sandboxes.delete(name);
  } else assertThat((await dumpState(server)) === before, `${what}: it was refused, and changed something`);
}

/** One in two rounds is off loopback. */
async function runRound(seed: number, seededBug: string | undefined): Promise<void> {
  const isRemote = seed % 2 === 0;
  await using server = await startTarget(isRemote);
  const first = Math.floor(seed / 2) * casesPerRound;
  for (let at = first; at < first + casesPerRound; at += 1)
    await checkCase(server, isRemote, Number((BigInt(at) * BigInt(stride)) % BigInt(combinations)), seededBug);
}

async function runBrowsers(budget: Budget): Promise<Finding[]> {
  const { findings, done } = await runRounds('browsers', budget, (seed) => runRound(seed, budget.seededBug));
  budget.log(`${done * casesPerRound} requests of ${2 * combinations} combinations`);
  return findings;
}

export const browsersSuite: Suite = {
  name: 'browsers',
  about: 'no page of another site reaches the control plane, makes a sandbox or changes anything',
  run: runBrowsers,
};

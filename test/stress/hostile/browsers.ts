/**
 * `browsers`: sends all combinations of Host, Origin, Fetch Metadata, method and body type that a page can cause, and
 * more, to each part of a server. An oracle that implements the documented rules determines the expected rejections.
 */

import { freePort } from '../../../src/testcontainers/free-port.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { type HttpResponse, send } from '../../server/control/control-client.ts';
import { assertThat } from '../races/race.ts';
import { type Budget, type Finding, runRounds, type Suite } from '../suite.ts';
import { type Case, combinations, computeExpected, createCase, existingSandbox } from './browser-cases.ts';

/** Combinations per round. */
const casesPerRound = 100;
/** A step that is coprime to the number of combinations, so that rounds repeat none. */
const stride = 7919 * 7927;

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

/** Returns all state that a request could change. */
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
  const remaining = Object.entries(headers).filter(([name]) => seededBug !== 'ignore-origin' || name !== 'Origin');
  return send(server, path, { method, headers: { ...Object.fromEntries(remaining), ...basic } });
}

/** Returns the outcome that the response shows. */
function classifyOutcome({ status, body }: HttpResponse, { method }: Case): string {
  const code = Array.isArray(body) ? (body[0] as { code?: string } | undefined)?.code : undefined;
  if (status === 421) return 'HOST_FOREIGN';
  // A response to HEAD has no body with the code.
  if (status === 403) return method === 'HEAD' ? 'ORIGIN_FOREIGN' : (code ?? '403');
  return status === 404 && (code === 'SANDBOX_NOT_FOUND' || method === 'HEAD') ? 'SANDBOX_NOT_FOUND' : 'served';
}

/** @throws Error if the oracle expects another outcome or a rejected request changed something. */
async function checkCase(
  server: TestServer,
  isRemote: boolean,
  at: number,
  seededBug: string | undefined,
): Promise<void> {
  const testCase = createCase(at, new URL(server.url).port);
  const before = await dumpState(server);
  const response = await sendCase(server, testCase, seededBug);
  const description = `${testCase.method} ${testCase.path} ${JSON.stringify(testCase.headers)}${isRemote ? ' on a remote server' : ''}`;
  const expected = computeExpected(testCase, isRemote);
  const found = classifyOutcome(response, testCase);
  const isHidden = testCase.method === 'HEAD' && expected === 'served' && found === 'SANDBOX_NOT_FOUND';
  assertThat(found === expected || isHidden, `${description}: got ${found} (${response.status}), expected ${expected}`);
  assertThat(response.status < 500, `${description}: ${response.status}`);
  const allowed = response.headers['access-control-allow-origin'];
  const mayRead =
    testCase.mayRead === 'always' || (testCase.mayRead === 'locally' && !isRemote && expected !== 'HOST_FOREIGN');
  assertThat(allowed === undefined || mayRead, `${description}: CORS allows ${allowed} to read it`);
  if (expected === 'served') {
    for (const { name } of server.appContext.sandboxes.list())
      if (name !== existingSandbox) server.appContext.sandboxes.delete(name);
  } else assertThat((await dumpState(server)) === before, `${description}: a rejected request changed something`);
}

/** Runs one round; every second one uses a remote server. */
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
  about: 'no page of another site can use the control plane, create a sandbox or change anything',
  run: runBrowsers,
};

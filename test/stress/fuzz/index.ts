/**
 * `fuzz`: invalid input for all operations and control-plane routes, generated from their declarations. No response is
 * a server error, rejected requests change nothing, and no secret is logged, stored or returned.
 */

import { adminClient, startServer, type TestServer } from '../../harness.ts';
import {
  attemptBadInput,
  type Credentials,
  callerId,
  isErrorArray,
  isRoute,
  registry,
  routes,
} from '../../server/property/bad-input.ts';
import {
  administratorCredentials,
  createCallerCredentials,
  remote,
  seedEntities,
} from '../../server/property/callers.ts';
import { createRawSender, type RawSender } from '../../server/property/raw-sender.ts';
import { assertThat } from '../races/race.ts';
import { type Budget, createFinding, type Finding, hasBudget, type Suite } from '../suite.ts';
import { canaryValues, insertCanaries, listEncodings } from './canaries.ts';
import { runSmugglingRound } from './request-smuggling.ts';

const targets = [...registry, ...routes];
const drawsPerMutation = 20;
/** Smuggling requests in a separate round. */
const smugglingRuns = 300;

const callerCredentials = { clientId: callerId, clientSecret: `secret-of-${callerId}` };

/** Returns the secrets of the harness and the caller and the canaries, in all encodings. */
function listCanaries({ authorization, bearer }: Credentials): string[] {
  const callerSecrets = [authorization, bearer].map((value) => value.split(' ')[1] ?? value);
  return [
    ...callerSecrets,
    ...listEncodings(adminClient.clientSecret, [adminClient.clientId]),
    ...listEncodings('correct horse battery staple', []),
    ...listEncodings(callerCredentials.clientSecret, [callerCredentials.clientId]),
    ...canaryValues.flatMap((one) => listEncodings(one, [])),
  ];
}

/** @throws Error if the text contains a canary. */
function assertNoCanary(canaries: readonly string[], where: string, text: string): void {
  const at = canaries.map((canary) => text.indexOf(canary)).find((found) => found >= 0);
  assertThat(at === undefined, `a secret is in ${where}: ${text.slice(Math.max(0, (at ?? 0) - 200), (at ?? 0) + 80)}`);
}

/** Verifies that request log, metrics, log and store contain no canary. */
async function assertNothingLeaked(server: TestServer, canaries: readonly string[]): Promise<void> {
  const raw = createRawSender(server.url);
  const headers = [['Authorization', administratorCredentials().authorization]] as const;
  const check = async (path: string) => {
    const { status, text, json } = await raw.send({ method: 'GET', path: `/_iam${path}`, headers });
    assertThat(status < 300, `${path} returned ${status}`);
    assertNoCanary(canaries, path, text);
    return json;
  };
  for (const path of ['/metrics', '/coverage', '/settings']) await check(path);
  // The list contains the paths, each entry the request and the response.
  const requests = (await check('/requests?limit=1000')) as readonly { readonly id: string }[];
  for (const { id } of requests) await check(`/requests/${id}`);
  raw.close();
  assertNoCanary(canaries, 'the log', server.log.join('\n'));
  assertNoCanary(canaries, 'the store', JSON.stringify(await server.dump()));
}

/** Wraps `send` to verify that rejections do not echo secrets of the request. */
function checkResponses(send: RawSender['send'], canaries: readonly string[]): RawSender['send'] {
  return async (request) => {
    const response = await send(request);
    if (response.status >= 400 || isErrorArray(response.json))
      assertNoCanary(
        canaries,
        `the rejection of ${request.method} ${request.path}`,
        response.text + JSON.stringify(response.headers),
      );
    return response;
  };
}

/** Runs one operation or route. @throws Error with the request that was not rejected as documented. */
async function runRound(at: number, seed: number): Promise<void> {
  const operation = targets[at % (targets.length + 1)];
  if (!operation) return runSmugglingRound(seed, smugglingRuns);
  await using server = await startServer({ flags: remote });
  const raw = createRawSender(server.url);
  try {
    if (!isRoute(operation)) await seedEntities(server);
    const credentials = isRoute(operation) ? administratorCredentials() : await createCallerCredentials(server);
    const canaries = listCanaries(credentials);
    const send = checkResponses(isRoute(operation) ? raw.send : server.send, canaries);
    await attemptBadInput(server, operation, { credentials, seed, runs: drawsPerMutation, send, vary: insertCanaries });
    await assertNothingLeaked(server, canaries);
  } catch (error) {
    // The cause contains the failure, the message of the runner how to reproduce it.
    const { message, cause } = error as Error;
    const details = cause instanceof Error ? `${cause.message}\n${message}` : message;
    throw new Error(`${operation.id}: ${details}`, { cause: error });
  } finally {
    raw.close();
  }
}

/** Runs rounds; the seed of a round selects one operation, route or the smuggling round. */
async function runFuzz(budget: Budget): Promise<Finding[]> {
  const findings: Finding[] = [];
  let done = 0;
  for (; hasBudget(budget, done) && findings.length < 10; done += 1) {
    const seed = budget.seed + done;
    await runRound(seed, seed).catch(
      (error: unknown) => void findings.push(createFinding('fuzz', budget, seed, error)),
    );
  }
  budget.log(`${done} operations and routes, ${drawsPerMutation} samples of each kind of invalid input`);
  return findings;
}

export const fuzzSuite: Suite = {
  name: 'fuzz',
  about: 'invalid input is rejected as documented, causes no server error, changes nothing and leaks no secret',
  run: runFuzz,
};

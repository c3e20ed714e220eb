/**
 * `fuzz`: bad input for every operation and every route of the control plane, made from their declarations. No answer is
 * a fault of the server, what is refused changes nothing, and nothing that opens a door is told where nobody asked for it.
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
/** Requests without a clear end, in a round of their own. */
const smugglingRuns = 300;

const callerPair = { clientId: callerId, clientSecret: `secret-of-${callerId}` };

/** What the harness made up, what the caller shows, and what requests were salted with; in every form. */
function listCanaries({ authorization, bearer }: Credentials): string[] {
  const callerSecrets = [authorization, bearer].map((value) => value.split(' ')[1] ?? value);
  return [
    ...callerSecrets,
    ...listEncodings(adminClient.clientSecret, [adminClient.clientId]),
    ...listEncodings('correct horse battery staple', []),
    ...listEncodings(callerPair.clientSecret, [callerPair.clientId]),
    ...canaryValues.flatMap((one) => listEncodings(one, [])),
  ];
}

/** @throws Error where the text holds one of them. */
function assertNoCanary(canaries: readonly string[], where: string, text: string): void {
  const at = canaries.map((canary) => text.indexOf(canary)).find((found) => found >= 0);
  assertThat(at === undefined, `a secret is in ${where}: ${text.slice(Math.max(0, (at ?? 0) - 200), (at ?? 0) + 80)}`);
}

/** What the server keeps of calls, counts of them, and all it stores, is looked through afterwards. */
async function assertNothingLeaked(server: TestServer, canaries: readonly string[]): Promise<void> {
  const raw = createRawSender(server.url);
  const headers = [['Authorization', administratorCredentials().authorization]] as const;
  const look = async (path: string) => {
    const { status, text, json } = await raw.send({ method: 'GET', path: `/_iam${path}`, headers });
    assertThat(status < 300, `${path} was answered ${status}`);
    assertNoCanary(canaries, path, text);
    return json;
  };
  for (const path of ['/metrics', '/coverage', '/settings']) await look(path);
  // The list tells what was called, each call by itself what was sent and answered.
  const calls = (await look('/requests?limit=1000')) as readonly { readonly id: string }[];
  for (const { id } of calls) await look(`/requests/${id}`);
  raw.close();
  assertNoCanary(canaries, 'the log', server.log.join('\n'));
  assertNoCanary(canaries, 'the store', JSON.stringify(await server.dump()));
}

/** Whatever is refused is refused without telling what was sent. */
function checkResponses(send: RawSender['send'], canaries: readonly string[]): RawSender['send'] {
  return async (request) => {
    const answer = await send(request);
    if (answer.status >= 400 || isErrorArray(answer.json))
      assertNoCanary(
        canaries,
        `the refusal of ${request.method} ${request.path}`,
        answer.text + JSON.stringify(answer.headers),
      );
    return answer;
  };
}

/** One operation, or one route. @throws Error with the request that was not refused as it should, or that broke something. */
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
    // What failed stands in the cause; the message of the runner says how to have it again.
    const { message, cause } = error as Error;
    const told = cause instanceof Error ? `${cause.message}\n${message}` : message;
    throw new Error(`${operation.id}: ${told}`, { cause: error });
  } finally {
    raw.close();
  }
}

/** A round is one operation with `draws` of each mutation; round and seed say which. */
async function runFuzz(budget: Budget): Promise<Finding[]> {
  const findings: Finding[] = [];
  let done = 0;
  for (; hasBudget(budget, done) && findings.length < 10; done += 1) {
    const seed = budget.seed + done;
    await runRound(seed, seed).catch(
      (error: unknown) => void findings.push(createFinding('fuzz', budget, seed, error)),
    );
  }
  budget.log(`${done} operations and routes, ${drawsPerMutation} draws of each kind of bad input`);
  return findings;
}

export const fuzzSuite: Suite = {
  name: 'fuzz',
  about: 'bad input is refused as it is documented, breaks nothing, changes nothing and tells nothing',
  run: runFuzz,
};

/**
 * `fuzz`: bad input for every operation and every route of the control plane, made from their declarations. No answer is
 * a fault of the server, what is refused changes nothing, and nothing that opens a door is told where nobody asked for it.
 */

import { adminClient, startServer, type TestServer } from '../../test/harness.ts';
import {
  callerId,
  holdOut,
  isErrorArray,
  isRoute,
  type Presented,
  registry,
  routes,
} from '../../test/server/property/bad-input.ts';
import { makeSomething, presentedAsAdministrator, presentedTo, remote } from '../../test/server/property/callers.ts';
import { createRawSender, type RawSender } from '../../test/server/property/raw.ts';
import { requireThat } from '../races/race.ts';
import { type Budget, type Finding, finding, goesOn, type Suite } from '../suite.ts';
import { formsOf, salted, sent } from './canaries.ts';
import { framingRound } from './framing.ts';

const everything = [...registry, ...routes];
const draws = 20;
/** Requests without a clear end, in a round of their own. */
const framings = 300;

const callerPair = { clientId: callerId, clientSecret: `secret-of-${callerId}` };

/** What the harness made up, what the caller shows, and what requests were salted with; in every form. */
function canariesOf({ authorization, bearer }: Presented): string[] {
  const shown = [authorization, bearer].map((value) => value.split(' ')[1] ?? value);
  return [
    ...shown,
    ...formsOf(adminClient.clientSecret, [adminClient.clientId]),
    ...formsOf('correct horse battery staple', []),
    ...formsOf(callerPair.clientSecret, [callerPair.clientId]),
    ...sent.flatMap((one) => formsOf(one, [])),
  ];
}

/** @throws Error where the text holds one of them. */
function requireNone(canaries: readonly string[], where: string, text: string): void {
  const at = canaries.map((canary) => text.indexOf(canary)).find((found) => found >= 0);
  requireThat(at === undefined, `a secret is in ${where}: ${text.slice(Math.max(0, (at ?? 0) - 200), (at ?? 0) + 80)}`);
}

/** What the server keeps of calls, counts of them, and all it stores, is looked through afterwards. */
async function requireNothingTold(server: TestServer, canaries: readonly string[]): Promise<void> {
  const raw = createRawSender(server.url);
  const headers = [['Authorization', presentedAsAdministrator().authorization]] as const;
  const look = async (path: string) => {
    const { status, text, json } = await raw.send({ method: 'GET', path: `/_iam${path}`, headers });
    requireThat(status < 300, `${path} was answered ${status}`);
    requireNone(canaries, path, text);
    return json;
  };
  for (const path of ['/metrics', '/coverage', '/settings']) await look(path);
  // The list tells what was called, each call by itself what was sent and answered.
  const calls = (await look('/requests?limit=1000')) as readonly { readonly id: string }[];
  for (const { id } of calls) await look(`/requests/${id}`);
  raw.close();
  requireNone(canaries, 'the log', server.log.join('\n'));
  requireNone(canaries, 'the store', JSON.stringify(await server.dump()));
}

/** Whatever is refused is refused without telling what was sent. */
function listening(send: RawSender['send'], canaries: readonly string[]): RawSender['send'] {
  return async (request) => {
    const answer = await send(request);
    if (answer.status >= 400 || isErrorArray(answer.json))
      requireNone(
        canaries,
        `the refusal of ${request.method} ${request.path}`,
        answer.text + JSON.stringify(answer.headers),
      );
    return answer;
  };
}

/** One operation, or one route. @throws Error with the request that was not refused as it should, or that broke something. */
async function round(at: number, seed: number): Promise<void> {
  const operation = everything[at % (everything.length + 1)];
  if (!operation) return framingRound(seed, framings);
  await using server = await startServer({ flags: remote });
  const raw = createRawSender(server.url);
  try {
    if (!isRoute(operation)) await makeSomething(server);
    const presented = isRoute(operation) ? presentedAsAdministrator() : await presentedTo(server);
    const canaries = canariesOf(presented);
    const send = listening(isRoute(operation) ? raw.send : server.send, canaries);
    await holdOut(server, operation, { presented, seed, runs: draws, send, salt: salted });
    await requireNothingTold(server, canaries);
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
async function run(budget: Budget): Promise<Finding[]> {
  const findings: Finding[] = [];
  let done = 0;
  for (; goesOn(budget, done) && findings.length < 10; done += 1) {
    const seed = budget.seed + done;
    await round(seed, seed).catch((error: unknown) => void findings.push(finding('fuzz', budget, seed, error)));
  }
  budget.log(`${done} operations and routes, ${draws} draws of each kind of bad input`);
  return findings;
}

export const fuzzSuite: Suite = {
  name: 'fuzz',
  about: 'bad input is refused as it is documented, breaks nothing, changes nothing and tells nothing',
  run,
};

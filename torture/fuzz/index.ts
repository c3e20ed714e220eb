/**
 * `fuzz`: bad input for every operation and every route of the control plane, made from their declarations. No answer is
 * a fault of the server, what is refused changes nothing, and nothing that opens a door is told where nobody asked for it.
 */

import { adminClient, startServer, type TestServer } from '../../test/harness.ts';
import { holdOut, isRoute, registry, routes } from '../../test/server/property/bad-input.ts';
import { makeSomething, presentedAsAdministrator, presentedTo, remote } from '../../test/server/property/callers.ts';
import { createRawSender } from '../../test/server/property/raw.ts';
import { requireThat } from '../races/race.ts';
import { type Budget, type Finding, finding, goesOn, type Suite } from '../suite.ts';

const everything = [...registry, ...routes];
const draws = 20;

/** What the harness made up for the start of the server, and what only it and the server know. */
const canaries = [adminClient.clientSecret, 'correct horse battery staple'];

/** What the server keeps of calls, and counts of them, is looked through afterwards. */
async function requireNothingTold(server: TestServer): Promise<void> {
  const raw = createRawSender(server.url);
  const headers = [['Authorization', presentedAsAdministrator().authorization]] as const;
  const pages = await Promise.all(
    ['/_iam/requests?limit=1000', '/_iam/metrics', '/_iam/coverage', '/_iam/settings'].map((path) =>
      raw.send({ method: 'GET', path, headers }),
    ),
  );
  raw.close();
  const told = [...pages.map(({ text }) => text), ...server.log].join('\n');
  for (const canary of canaries)
    requireThat(!told.includes(canary), 'a secret is in what is kept of calls, in a metric or in the log');
}

/** One operation, or one route. @throws Error with the request that was not refused as it should, or that broke something. */
async function round(at: number, seed: number): Promise<void> {
  const operation = everything[at % everything.length];
  if (!operation) return;
  await using server = await startServer({ flags: remote });
  const raw = createRawSender(server.url);
  try {
    if (!isRoute(operation)) await makeSomething(server);
    const presented = isRoute(operation) ? presentedAsAdministrator() : await presentedTo(server);
    const send = isRoute(operation) ? raw.send : server.send;
    await holdOut(server, operation, { presented, seed, runs: draws, send });
    await requireNothingTold(server);
  } catch (error) {
    throw new Error(`${operation.id}: ${(error as Error).message}`, { cause: error });
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

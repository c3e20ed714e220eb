/**
 * `parsers`: sends the most expensive inputs for each parser to a server in a separate process, one at a time, and
 * measures how long other requests wait meanwhile.
 */
import { writeFile } from 'node:fs/promises';
import { basicAuthorization } from '../../../src/client/index.ts';
import { Sandbox } from '../../e2e/cli-process.ts';
import { createAuthority } from '../../server/federation/certificates.ts';
import { audience, entityId, signing } from '../../server/federation/saml-responses.ts';
import { assertThat } from '../races/race.ts';
import { type Budget, type Finding, runRounds, type Suite } from '../suite.ts';
import { measureSlowness } from './machine-speed.ts';
import { type Attack, createAttacks, type Target } from './worst-inputs.ts';

/** Maximum milliseconds that a request may delay another one, longer on a slow machine. */
const maxDelayMs = 250;
/** Other load on the machine is temporary: an attack fails only if all tries exceed the limit. */
const maxTries = 5;
/** Requests that measure the delay without an attack, and the factor of it that is accepted on a busy machine. */
const baselineRequests = 300;
const baselineFactor = 5;

const appClientId = 'stress-app';
const members = 10_000;

async function measureRequest(url: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${url}/healthz`);
  await response.arrayBuffer();
  assertThat(response.status === 200, `another request returned ${response.status}`);
  return performance.now() - startedAt;
}

/** Returns the maximum delay of other requests during `work`. */
async function measureDelay(url: string, work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let max = 0;
  const others = (async () => {
    while (!isOver) max = Math.max(max, await measureRequest(url));
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await others;
  }
  return max;
}

/** Returns the limit on this machine; on a busy one it is a multiple of the delay without an attack. */
async function measureLimit(url: string): Promise<number> {
  const alone = await measureDelay(url, async () => {
    for (let turn = 0; turn < baselineRequests; turn += 1) await measureRequest(url);
  });
  return Math.max(maxDelayMs * (await measureSlowness()), baselineFactor * alone);
}

/** @throws Error if other requests wait too long in every try, or the status is unexpected. */
async function runAttack(target: Target, { name, send, status }: Attack, firstLimit: number): Promise<string> {
  let limit = firstLimit;
  let min = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < maxTries && min > limit; turn += 1) {
    // Other load may have come since.
    if (turn > 0) limit = Math.max(limit, await measureLimit(target.url));
    const delay = await measureDelay(target.url, async () => {
      const actual = await send();
      assertThat(status.includes(actual), `${name}: got ${actual}, expected ${status.join(' or ')}`);
    });
    min = Math.min(min, delay);
  }
  assertThat(min <= limit, `${name}: other requests wait ${min.toFixed(0)} ms, more than ${limit.toFixed(0)} ms`);
  return `${name} ${min.toFixed(0)} ms`;
}

const createSeed = () => ({
  users: Array.from({ length: members }, (_, at) => ({ userId: `user-${at}`, userName: `name-${at}` })),
  groups: [{ groupName: 'crowd' }],
  providers: [
    { kind: 'saml', name: 'idp', entityId, certificates: [signing.pem], audience },
    { kind: 'certificateAuthority', name: 'root', certificate: createAuthority({ name: 'Root' }).pem },
  ],
});

async function runRound(log: (line: string) => void): Promise<void> {
  await using sandbox = await Sandbox.make();
  await writeFile(sandbox.file('seed.json'), JSON.stringify(createSeed()));
  const args = ['--store', 'memory', '--seed', sandbox.file('seed.json')];
  const { url, variables } = await sandbox.serve(args, { IAM_APP_CLIENT_ID: appClientId });
  const { IAM_CLIENT_ID: clientId = '', IAM_CLIENT_SECRET: clientSecret = '' } = variables;
  const target = { url, appClientId, authorization: basicAuthorization({ clientId, clientSecret }), members };
  const results: string[] = [];
  const attacks = await createAttacks(target);
  const limit = await measureLimit(url);
  for (const attack of attacks) results.push(await runAttack(target, attack, limit));
  log(results.join('; '));
}

/** Runs all attacks in a single round, as they do not depend on the seed. */
async function runParsers(budget: Budget): Promise<Finding[]> {
  const once = { ...budget, count: Math.min(budget.count, 1) };
  return (await runRounds('parsers', once, () => runRound(budget.log))).findings;
}

export const parsersSuite: Suite = {
  name: 'parsers',
  about: 'no single request delays other requests by more than 250 ms',
  run: runParsers,
};

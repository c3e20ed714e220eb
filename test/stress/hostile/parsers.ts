/**
 * `parsers`: a server of its own process is sent the worst that each of its parsers takes or has to refuse, one after the
 * other. Measured is how long everybody else waits meanwhile.
 */
import { writeFile } from 'node:fs/promises';
import { basicAuthorization } from '../../../src/client/index.ts';
import { Sandbox } from '../../e2e/cli-process.ts';
import { createAuthority } from '../../server/integrations/providers/certificates.ts';
import { audience, entityId, signing } from '../../server/integrations/providers/saml-responses.ts';
import { assertThat } from '../races/race.ts';
import { type Budget, type Finding, runRounds, type Suite } from '../suite.ts';
import { type Attack, createAttacks, type Target } from './worst-inputs.ts';

/** Milliseconds that a single call may keep another one waiting. */
const maxDelayMs = 250;
/** What keeps a machine busy besides passes: each is tried again before it counts. */
const maxTries = 5;
/** How often, and by what, a busy machine is known: others wait there without any attack. */
const callsAlone = 300;
const timesAlone = 5;

const appClientId = 'stress-app';
const members = 10_000;

async function measureCall(url: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(`${url}/healthz`);
  await answer.arrayBuffer();
  assertThat(answer.status === 200, `a call of others was answered ${answer.status}`);
  return performance.now() - startedAt;
}

/** The longest that others wait while this is done. */
async function measureDelay(url: string, work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let longest = 0;
  const others = (async () => {
    while (!isOver) longest = Math.max(longest, await measureCall(url));
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await others;
  }
  return longest;
}

/** What others may wait on this machine: where it is busy, some times what they wait with nothing else to do. */
async function measureLimit(url: string): Promise<number> {
  const alone = await measureDelay(url, async () => {
    for (let turn = 0; turn < callsAlone; turn += 1) await measureCall(url);
  });
  return Math.max(maxDelayMs, timesAlone * alone);
}

/** @throws Error where others wait for too long with each try, or the answer is another one. */
async function runAttack(target: Target, { name, send, status }: Attack, limit: number): Promise<string> {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < maxTries && least > limit; turn += 1) {
    const waited = await measureDelay(target.url, async () => {
      const answered = await send();
      assertThat(status.includes(answered), `${name}: answered ${answered}, and ${status.join(' or ')} is due`);
    });
    least = Math.min(least, waited);
  }
  assertThat(least <= limit, `${name}: others wait ${least.toFixed(0)} ms`);
  return `${name} ${least.toFixed(0)} ms`;
}

const seed = {
  users: Array.from({ length: members }, (_, at) => ({ userId: `user-${at}`, userName: `name-${at}` })),
  groups: [{ groupName: 'crowd' }],
  providers: [
    { kind: 'saml', name: 'idp', entityId, certificates: [signing.pem], audience },
    { kind: 'certificateAuthority', name: 'root', certificate: createAuthority({ name: 'Root' }).pem },
  ],
};

async function runRound(log: (line: string) => void): Promise<void> {
  await using sandbox = await Sandbox.make();
  await writeFile(sandbox.file('seed.json'), JSON.stringify(seed));
  const words = ['--store', 'memory', '--seed', sandbox.file('seed.json')];
  const { url, variables } = await sandbox.serve(words, { IAM_APP_CLIENT_ID: appClientId });
  const { IAM_CLIENT_ID: clientId = '', IAM_CLIENT_SECRET: clientSecret = '' } = variables;
  const target = { url, appClientId, authorization: basicAuthorization({ clientId, clientSecret }), members };
  const results: string[] = [];
  const attacks = await createAttacks(target);
  const limit = await measureLimit(url);
  for (const attack of attacks) results.push(await runAttack(target, attack, limit));
  log(results.join('; '));
}

/** All of them in each round; what there is to find does not depend on the seed. */
async function runParsers(budget: Budget): Promise<Finding[]> {
  const once = { ...budget, count: Math.min(budget.count, 1) };
  return (await runRounds('parsers', once, () => runRound(budget.log))).findings;
}

export const parsersSuite: Suite = {
  name: 'parsers',
  about: 'no single call, whatever it sends, keeps others waiting for more than 250 ms',
  run: runParsers,
};

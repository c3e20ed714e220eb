/**
 * `refresh-kill`: sessions are renewed without a pause, the process is killed in the middle of it (kill -9), and started
 * again upon what is on the disk. Whoever lost the answer shows the token that he has once more.
 *
 * What must come of it: the token is taken, since its rotation never became durable; or it is refused, since it did, and
 * then the session ends with that. A token whose successor was answered is never taken, and no session is there twice.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { type RunningServe, Sandbox } from '../../e2e/cli-process.ts';
import { type Budget, type Finding, runRounds, type Suite } from '../suite.ts';
import { assertThat, createRandom } from './race.ts';

const clientId = 'kill-app';
const password = 'a pass phrase that nobody guesses';
const families = 6;
const users = Array.from({ length: families }, (_, at) => ({ userId: `user-${at}`, userName: `user-${at}`, password }));

/** One session as its client knows it. */
interface Family {
  readonly userId: string;
  /** In the order in which they were answered. */
  readonly tokens: string[];
  /** Whether an answer was lost. */
  lost: boolean;
}

async function post(url: string, path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(`${url}${servicePrefix}${path}?clientId=${clientId}&remember-me=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: (await answer.json()) as { refreshToken?: string } };
}

function start(sandbox: Sandbox): Promise<RunningServe> {
  const words = ['--data', sandbox.file('store'), '--seed', sandbox.file('seed.json'), '--fast-passwords'];
  return sandbox.serve(words, { IAM_APP_CLIENT_ID: clientId });
}

async function startSession(url: string, userId: string): Promise<Family> {
  const authorization = `Basic ${btoa(`${userId}:${password}`)}`;
  const { json } = await post(url, '/user-identities/login', {}, { authorization });
  if (json.refreshToken === undefined) throw new Error(`${userId} could not log in: ${JSON.stringify(json)}`);
  return { userId, tokens: [json.refreshToken], lost: false };
}

const renew = (url: string, refreshToken: string) => post(url, '/user-identities/renew-token', { refreshToken });

/** Renews until the server is gone. */
async function renewUntilGone(url: string, family: Family, answered: () => void): Promise<void> {
  for (;;) {
    const answer = await renew(url, family.tokens.at(-1) ?? '').catch(() => undefined);
    family.lost = answer === undefined;
    if (answer?.json.refreshToken === undefined) return;
    family.tokens.push(answer.json.refreshToken);
    answered();
  }
}

/** Kills the server after so many answers of all. */
async function renewAndKill({ url, child }: RunningServe, all: readonly Family[], after: number): Promise<void> {
  let count = 0;
  const killed = once(child, 'exit');
  const answered = () => {
    count += 1;
    if (count === after) child.kill('SIGKILL');
  };
  await Promise.all(all.map((family) => renewUntilGone(url, family, answered)));
  await killed;
}

/** What came of the token that its client shows once more. @throws Error where that is neither of the two. */
async function retryLastToken(url: string, { userId, tokens }: Family): Promise<'taken' | 'ended'> {
  const [last = '', before] = [tokens.at(-1), tokens.at(-2)];
  const { status, json } = await renew(url, last);
  assertThat(status === 201 || status === 401, `${userId}: the last token was answered ${status}`);
  const living = await countSessions(url, userId);
  assertThat(
    living === (status === 201 ? 1 : 0),
    `${userId}: ${living} sessions live after a retry that was answered ${status}`,
  );
  if (before !== undefined) await assertRejected(url, userId, before);
  const left = await countSessions(url, userId);
  assertThat(before === undefined || left === 0, `${userId}: a session lives on after a second use`);
  if (before !== undefined && json.refreshToken !== undefined) await assertRejected(url, userId, json.refreshToken);
  return status === 201 ? 'taken' : 'ended';
}

async function assertRejected(url: string, userId: string, token: string): Promise<void> {
  const { status } = await renew(url, token);
  assertThat(status === 401, `${userId}: a token that was rotated away, or ended, was answered ${status}`);
}

async function countSessions(url: string, userId: string): Promise<number> {
  const answer = await fetch(`${url}/_iam/sessions?userId=${userId}`);
  return ((await answer.json()) as unknown[]).length;
}

/** One kill. @returns what came of each session. @throws Error with what did not hold. */
export async function runKillRound(seed: number): Promise<{ ends: ('taken' | 'ended')[]; rotations: number }> {
  await using sandbox = await Sandbox.make();
  await writeFile(sandbox.file('seed.json'), JSON.stringify({ users }));
  const first = await start(sandbox);
  const all = await Promise.all(users.map(({ userId }) => startSession(first.url, userId)));
  await renewAndKill(first, all, 1 + Math.floor(createRandom(seed)() * 200));
  const second = await start(sandbox);
  const ends = await Promise.all(all.map((family) => retryLastToken(second.url, family)));
  second.child.kill('SIGKILL');
  await second.done;
  return { ends, rotations: all.reduce((sum, { tokens }) => sum + tokens.length - 1, 0) };
}

async function runRefreshKill(budget: Budget): Promise<Finding[]> {
  const seen = { taken: 0, ended: 0, rotations: 0 };
  const { findings, done } = await runRounds('refresh-kill', budget, async (seed) => {
    const { ends, rotations } = await runKillRound(seed);
    seen.rotations += rotations;
    for (const end of ends) seen[end] += 1;
  });
  budget.log(`${done} kills in ${seen.rotations} rotations; shown once more, ${seen.taken} taken, ${seen.ended} ended`);
  return findings;
}

export const refreshKillSuite: Suite = {
  name: 'refresh-kill',
  about: 'no refresh token that was rotated away works after a kill, and no session lives twice',
  run: runRefreshKill,
};

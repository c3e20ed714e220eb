/**
 * `refresh-kill`: renews sessions without pause, kills the process (kill -9) and restarts it on the same store.
 * Clients that lost a response retry with the token they have.
 *
 * The retry is accepted if the rotation never became durable; otherwise it is rejected as reuse and ends the session.
 * A token whose successor was returned is never accepted, and no session exists twice.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { type RunningServe, Sandbox } from '../../e2e/cli-process.ts';
import { type Budget, type Finding, runRounds, type Suite } from '../suite.ts';
import { assertThat, createRandom } from './race.ts';

const clientId = 'kill-app';
const password = 'a pass phrase for tests only';
const families = 6;
const users = Array.from({ length: families }, (_, at) => ({ userId: `user-${at}`, userName: `user-${at}`, password }));

/** One session as its client knows it. */
interface Family {
  readonly userId: string;
  /** In the order of the responses. */
  readonly tokens: string[];
  /** Whether a response was lost. */
  lost: boolean;
}

async function post(url: string, path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${url}${servicePrefix}${path}?clientId=${clientId}&remember-me=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as { refreshToken?: string } };
}

function start(sandbox: Sandbox): Promise<RunningServe> {
  const args = ['--data', sandbox.file('store'), '--seed', sandbox.file('seed.json'), '--fast-passwords'];
  return sandbox.serve(args, { IAM_APP_CLIENT_ID: clientId });
}

async function startSession(url: string, userId: string): Promise<Family> {
  const authorization = `Basic ${btoa(`${userId}:${password}`)}`;
  const { json } = await post(url, '/user-identities/login', {}, { authorization });
  if (json.refreshToken === undefined) throw new Error(`${userId} could not log in: ${JSON.stringify(json)}`);
  return { userId, tokens: [json.refreshToken], lost: false };
}

const renew = (url: string, refreshToken: string) => post(url, '/user-identities/renew-token', { refreshToken });

/** Renews until the server disconnects. */
async function renewUntilDisconnect(url: string, family: Family, onResponse: () => void): Promise<void> {
  for (;;) {
    const response = await renew(url, family.tokens.at(-1) ?? '').catch(() => undefined);
    family.lost = response === undefined;
    if (response?.json.refreshToken === undefined) return;
    family.tokens.push(response.json.refreshToken);
    onResponse();
  }
}

/** Kills the server after `after` responses in total. */
async function renewAndKill({ url, child }: RunningServe, all: readonly Family[], after: number): Promise<void> {
  let count = 0;
  const killed = once(child, 'exit');
  const onResponse = () => {
    count += 1;
    if (count === after) child.kill('SIGKILL');
  };
  await Promise.all(all.map((family) => renewUntilDisconnect(url, family, onResponse)));
  await killed;
}

/** Retries with the last token of a session and returns the outcome. @throws Error for any other outcome. */
async function retryLastToken(url: string, { userId, tokens }: Family): Promise<'accepted' | 'ended'> {
  const [last = '', before] = [tokens.at(-1), tokens.at(-2)];
  const { status, json } = await renew(url, last);
  assertThat(status === 201 || status === 401, `${userId}: the retry with the last token returned ${status}`);
  const active = await countSessions(url, userId);
  assertThat(
    active === (status === 201 ? 1 : 0),
    `${userId}: ${active} sessions exist after a retry that returned ${status}`,
  );
  if (before !== undefined) await assertRejected(url, userId, before);
  const remaining = await countSessions(url, userId);
  assertThat(before === undefined || remaining === 0, `${userId}: a session still exists after a token was reused`);
  if (before !== undefined && json.refreshToken !== undefined) await assertRejected(url, userId, json.refreshToken);
  return status === 201 ? 'accepted' : 'ended';
}

async function assertRejected(url: string, userId: string, token: string): Promise<void> {
  const { status } = await renew(url, token);
  assertThat(status === 401, `${userId}: a rotated or revoked token returned ${status}`);
}

async function countSessions(url: string, userId: string): Promise<number> {
  const response = await fetch(`${url}/_iam/sessions?userId=${userId}`);
  return ((await response.json()) as unknown[]).length;
}

/** Runs one round with one kill. @returns the outcome of each session. @throws Error with the broken invariant. */
export async function runKillRound(seed: number): Promise<{ ends: ('accepted' | 'ended')[]; rotations: number }> {
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
  const counts = { accepted: 0, ended: 0, rotations: 0 };
  const { findings, done } = await runRounds('refresh-kill', budget, async (seed) => {
    const { ends, rotations } = await runKillRound(seed);
    counts.rotations += rotations;
    for (const end of ends) counts[end] += 1;
  });
  budget.log(
    `${done} kills in ${counts.rotations} rotations; retries: ${counts.accepted} accepted, ${counts.ended} ended the session`,
  );
  return findings;
}

export const refreshKillSuite: Suite = {
  name: 'refresh-kill',
  about: 'after kill -9 no rotated refresh token is accepted, and no session exists twice',
  run: runRefreshKill,
};

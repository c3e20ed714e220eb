/** The time of a second factor: requesting a code, reading it from the inbox and submitting it. */

import type { BenchEnvironment } from '../environment.ts';
import type { Figure } from '../figure.ts';
import { userIdOf } from '../names.ts';
import { loginUser, type RequestParts, requestOnce } from '../requests.ts';
import { median } from '../statistics.ts';

/** A separate user per run, as a contact receives at most five codes per hour. */
const users = 60;
const warmUp = 10;

export async function secondFactorFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const { server } = await bench.server('people');
  const floor = await bench.floor();
  await bench.suspendAll();
  await server.resume();
  const ours: number[] = [];
  for (let number = 0; number < users; number += 1) {
    const userId = userIdOf('quick', number);
    const token = await loginUser(server.port, userId);
    ours.push(await measure(() => completeSecondFactor(server.port, userId, token)));
  }
  await server.suspend();
  await floor.resume();
  const bare: number[] = [];
  for (let number = 0; number < users; number += 1) bare.push(await measure(() => threeRequests(floor.port)));
  await floor.suspend();
  const [result, ofFloor] = [ours, bare].map((times) => median(times.slice(warmUp))) as [number, number];
  return [{ name: 'second factor', ours: formatMs(result), floor: formatMs(ofFloor), result, unit: 'ms' }];
}

async function completeSecondFactor(port: number, userId: string, token: string): Promise<void> {
  const { challengeId } = await requestJson(port, post('leverage-mfa', token), {});
  const code = await readCode(port, userId);
  await requestJson(port, post('fulfill-mfa', token), { challengeId, token: code });
}

function post(verb: string, token: string): RequestParts {
  return { method: 'POST', path: `/user-identities/me/${verb}`, authorization: `Bearer ${token}` };
}

async function requestJson(port: number, parts: RequestParts, body: object): Promise<Record<string, string>> {
  const response = await requestOnce(port, parts, JSON.stringify(body));
  if (response.status !== 201) throw new Error(`${parts.path} returned ${response.status}: ${response.body}`);
  return JSON.parse(response.body) as Record<string, string>;
}

async function readCode(port: number, userId: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/_iam/inbox?to=${userId}@example.com&limit=1`);
  const [message] = (await response.json()) as { code: string }[];
  return message?.code ?? '';
}

async function threeRequests(port: number): Promise<void> {
  for (let count = 0; count < 3; count += 1) await requestOnce(port, post('floor', 'none'), '{}');
}

async function measure(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function formatMs(milliseconds: number): string {
  return `${milliseconds.toFixed(1)} ms`;
}

/**
 * `failover-*`: PostgreSQL under Patroni on three machines, servers behind HAProxy, and one fault after the other.
 * After each, the groups are compared with the oracle: no acknowledged change is missing, no refused one was made.
 */
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { between, createSeededRandom } from '../../server/store/random.ts';
import { type Budget, type Finding, hasBudget, runRounds, type Suite } from '../suite.ts';
import { waitFor } from './daemon.ts';
import { type Fault, faults } from './faults.ts';
import { GroupLoad, readGroupStates } from './group-load.ts';
import type { OracleCounts } from './group-oracle.ts';
import { findFailoverPrograms } from './programs.ts';
import { TestBed } from './test-bed.ts';

/** Of all groups of these suites. */
const prefix = 'f-';
/** Milliseconds. */
const firstWriteTimeout = 120_000;
const shownProblems = 5;

/** What the rounds of a suite measured, in milliseconds. */
interface RoundTimes {
  readonly firstWrite: number;
  readonly slowestAnswer: number;
}

export const failoverSuites: readonly Suite[] = faults.map((fault) => ({
  name: `failover-${fault.name}`,
  about: fault.about,
  isOnDemand: true,
  run: (budget) => runFault(fault, budget),
}));

async function runFault(fault: Fault, budget: Budget): Promise<Finding[]> {
  const programs = findFailoverPrograms(process.env);
  if (typeof programs === 'string') {
    budget.log(`skipped: ${programs}`);
    return [];
  }
  const { seededBug, servers: serverCount = 3 } = budget;
  return TestBed.use({ programs, serverCount, seededBug }, async (bed) => {
    const problem = fault.findProblem?.({ bed });
    if (problem !== undefined) {
      budget.log(`skipped: ${problem}`);
      return [];
    }
    const times: RoundTimes[] = [];
    const { findings, done } = await runRounds(`failover-${fault.name}`, budget, async (seed) => {
      times.push(await runFaultRound(fault, bed, seed, seededBug));
      if (hasBudget(budget, times.length)) budget.log(summarize(times.length, times, bed));
    });
    budget.log(summarize(done, times, bed));
    return findings;
  });
}

/** @throws Error with what must not be */
async function runFaultRound(
  fault: Fault,
  bed: TestBed,
  seed: number,
  seededBug: string | undefined,
): Promise<RoundTimes> {
  const { oracle, connection } = bed;
  const draw = createSeededRandom(seed);
  const primary = await bed.waitUntilHealthy();
  await connection.logIn();
  const load = new GroupLoad({ connection, oracle, prefix: `${prefix}${seed}-`, draw: createSeededRandom(seed + 1) });
  const startedAt = performance.now();
  const firstWriteAfter = (instant: number) => {
    assertNoProblems(oracle.problems);
    return load.firstWriteAfter(instant);
  };
  load.start();
  try {
    await waitFor('the first write of a round', firstWriteTimeout, () => firstWriteAfter(startedAt));
    await setTimeout(between(draw, 1_000, 3_000));
    const effect = await fault.make({ bed, load, primary, draw, seededBug });
    const firstWrite = await waitFor('a new write', firstWriteTimeout, () => firstWriteAfter(effect.from), 10);
    await effect.repair?.();
    await bed.waitUntilHealthy().catch((error) => {
      assertNoProblems(oracle.problems);
      throw error;
    });
    await setTimeout(1_000);
    await load.stop();
    oracle.verify(await readGroupStates(connection, prefix));
    assertNoProblems(oracle.problems);
    effect.verify?.();
    if (firstWrite > fault.limit) throw new Error(`the first new write took ${Math.round(firstWrite)} ms`);
    return { firstWrite, slowestAnswer: load.slowestBetween(startedAt, performance.now()) };
  } finally {
    await load.stop();
  }
}

function assertNoProblems(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const more = problems.length > shownProblems ? `\nand ${problems.length - shownProblems} more` : '';
  throw new Error(`${problems.slice(0, shownProblems).join('\n')}${more}`);
}

function summarize(done: number, times: readonly RoundTimes[], { oracle, cluster }: TestBed): string {
  const { counts } = oracle;
  const { committed, void: notCommitted } = cluster.inquiries;
  return [
    `${done} faults, ${counts.acknowledged} acknowledged, ${counts.lost} lost, ${counts.refused} refused, ${counts.refusedButMade} of them made`,
    describeUnknown(counts),
    `commits found out: ${committed} made, ${notCommitted} not`,
    `${counts.wrongAnswers} wrong answers, ${counts.staleReads} of ${counts.reads} reads stale`,
    `first write ${describeTimes(times.map(({ firstWrite }) => firstWrite))}`,
    `Patroni restarted ${cluster.restarts} times`,
    `slowest answer ${seconds(Math.max(0, ...times.map(({ slowestAnswer }) => slowestAnswer)))}`,
  ].join('; ');
}

function describeUnknown(counts: OracleCounts): string {
  const { unknownByServer, unknownByConnection, unknownMade, unknownNotMade } = counts;
  return `unknown ${unknownByServer} by servers and ${unknownByConnection} by connections (${unknownMade} made, ${unknownNotMade} not)`;
}

function describeTimes(times: readonly number[]): string {
  const sorted = [...times].sort((one, other) => one - other);
  return `median ${seconds(sorted[Math.floor(sorted.length / 2)] ?? 0)}, longest ${seconds(sorted.at(-1) ?? 0)}`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

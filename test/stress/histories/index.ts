/**
 * `histories-*`: clients that share groups, sessions and codes while servers or their database fail, and a search for an
 * order of all that they were answered.
 */
import { setTimeout } from 'node:timers/promises';
import { between, createSeededRandom } from '../../server/store/random.ts';
import { type Budget, type Finding, hasBudget, runRounds, type Suite } from '../suite.ts';
import { Api } from './api.ts';
import { findViolation } from './checker.ts';
import { type Deployment, type DeploymentKind, deploymentKinds } from './deployments.ts';
import { formatOperation, type History } from './history.ts';
import { Workload } from './workload.ts';

/** Milliseconds before and after the fault of a round. */
const longestLead = 3_000;
const settleTime = 700;
const shownOperations = 60;

interface Counts {
  histories: number;
  operations: number;
  unknown: number;
}

export const historySuites: readonly Suite[] = deploymentKinds.map((kind) => ({
  name: `histories-${kind.name}`,
  about: `groups, sessions and codes are linearizable: ${kind.about}`,
  ...(kind.isOnDemand && { isOnDemand: kind.isOnDemand }),
  run: (budget) => runHistories(kind, budget),
}));

async function runHistories(kind: DeploymentKind, budget: Budget): Promise<Finding[]> {
  const problem = kind.findProblem?.();
  if (problem !== undefined) {
    budget.log(`skipped: ${problem}`);
    return [];
  }
  const findings: Finding[] = [];
  const counts: Counts = { histories: 0, operations: 0, unknown: 0 };
  let rounds = 0;
  const summarize = () =>
    budget.log(
      `${rounds} faults, ${counts.histories} histories, ${counts.operations} operations, ${counts.unknown} of unknown outcome`,
    );
  await kind.use(budget, async (deployment) => {
    const result = await runRounds(`histories-${kind.name}`, budget, async (seed) => {
      const histories = await makeHistories(deployment, seed);
      for (const history of histories) assertLinearizable(history, counts);
      rounds += 1;
      if (hasBudget(budget, rounds) && rounds % 10 === 0) summarize();
    });
    findings.push(...result.findings);
  });
  summarize();
  return findings;
}

async function makeHistories(deployment: Deployment, seed: number): Promise<readonly History[]> {
  const draw = createSeededRandom(seed);
  const chooseUrl = createSeededRandom(seed + 1);
  const api = new Api(() => {
    const urls = deployment.listUrls();
    return urls[Math.floor(chooseUrl() * urls.length)] ?? '';
  });
  const workload = new Workload({ api, prefix: `h${seed}`, draw: createSeededRandom(seed + 2) });
  try {
    const running = workload.run();
    // Awaited below.
    running.catch(() => undefined);
    await setTimeout(between(draw, 500, longestLead));
    await deployment.disturb(draw);
    await setTimeout(settleTime);
    workload.stop();
    await running;
    await workload.readAll();
    return workload.histories;
  } finally {
    workload.stop();
    api.close();
  }
}

/** @throws Error with the shortest beginning that is not linearizable */
function assertLinearizable(history: History, counts: Counts): void {
  const { key, model, initial, operations } = history;
  counts.histories += 1;
  counts.operations += operations.length;
  counts.unknown += operations.filter(({ output }) => output === undefined).length;
  const violation = findViolation(history);
  if (violation === undefined) return;
  const lines = [...violation].sort((one, other) => one.start - other.start).map(formatOperation);
  const omitted = lines.length > shownOperations ? [`(${lines.length - shownOperations} earlier ones)`] : [];
  throw new Error(
    [
      `the ${model.name} ${key}, first ${initial || 'absent'}, has no order:`,
      ...omitted,
      ...lines.slice(-shownOperations),
    ].join('\n'),
  );
}

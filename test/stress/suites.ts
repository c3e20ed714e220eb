/** All suites, in the order of execution. */
import { failoverSuites } from './failover/index.ts';
import { fuzzSuite } from './fuzz/index.ts';
import { historySuites } from './histories/index.ts';
import { browsersSuite } from './hostile/browsers.ts';
import { fairnessSuite } from './hostile/fairness.ts';
import { parsersSuite } from './hostile/parsers.ts';
import { slowClientsSuite } from './hostile/slow-clients.ts';
import { racesSuite } from './races/index.ts';
import { refreshKillSuite } from './races/refresh-kill.ts';
import type { Suite } from './suite.ts';
import { auditKills } from './suites/audit-kills.ts';
import { bigCheckpoints } from './suites/big-checkpoint.ts';
import { bigLog } from './suites/big-log.ts';
import { clock } from './suites/clock.ts';
import { firstStarts, secondServers } from './suites/concurrent-starts.ts';
import { checkpointFlips, cuts, replays, sectors, tails, walFlips } from './suites/corruption.ts';
import { fullDisk, shortWrites } from './suites/disk-full.ts';
import { hugeCheckpoint } from './suites/huge-checkpoint.ts';
import { largeLogs } from './suites/large-logs.ts';
import { model } from './suites/model.ts';
import { killpoints, kills, stops } from './suites/process-kills.ts';
import { renames } from './suites/renames.ts';
import { simulator } from './suites/simulator.ts';
import { soak } from './suites/soak.ts';
import { ackOrder, failedSyncs, systemCallErrors } from './suites/system-calls.ts';
import { groupCommit, liveness } from './suites/write-latency.ts';
import { throttleSuite } from './throttle/index.ts';
import { timingSuite } from './timing/index.ts';

export type { Budget, Finding, Suite } from './suite.ts';

/** Suites with a fixed amount of work come first: their unused time goes to the open-ended ones. */
export const suites: readonly Suite[] = [
  renames,
  cuts,
  sectors,
  tails,
  walFlips,
  checkpointFlips,
  replays,
  liveness,
  bigCheckpoints,
  bigLog,
  hugeCheckpoint,
  groupCommit,
  model,
  clock,
  ackOrder,
  failedSyncs,
  systemCallErrors,
  fullDisk,
  shortWrites,
  firstStarts,
  secondServers,
  browsersSuite,
  slowClientsSuite,
  fairnessSuite,
  parsersSuite,
  refreshKillSuite,
  racesSuite,
  throttleSuite,
  timingSuite,
  fuzzSuite,
  simulator,
  largeLogs,
  kills,
  killpoints,
  auditKills,
  stops,
  soak,
  ...historySuites,
  ...failoverSuites,
];

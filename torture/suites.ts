/** All suites, in the order in which they run. */
import { fuzzSuite } from './fuzz/index.ts';
import { browsersSuite } from './hostile/browsers.ts';
import { fairnessSuite } from './hostile/fairness.ts';
import { greedySuite } from './hostile/index.ts';
import { parsersSuite } from './hostile/parsers.ts';
import { racesSuite } from './races/index.ts';
import { killSuite } from './races/kill.ts';
import type { Suite } from './suite.ts';
import { bigCheckpoints } from './suites/big-checkpoint.ts';
import { clock } from './suites/clock.ts';
import { checkpointFlips, cuts, journalFlips, replays, sectors, tails } from './suites/damage.ts';
import { killpoints, kills, stops } from './suites/kills.ts';
import { model } from './suites/model.ts';
import { groupCommit, liveness } from './suites/pace.ts';
import { renames } from './suites/renames.ts';
import { simulator } from './suites/simulator.ts';
import { soak } from './suites/soak.ts';
import { fullDisk, shortWrites } from './suites/space.ts';
import { firstStarts, secondServers } from './suites/starts.ts';
import { ackOrder, failedSyncs, refusals } from './suites/system-calls.ts';
import { throttleSuite } from './throttle/index.ts';
import { timingSuite } from './timing/index.ts';

export type { Budget, Finding, Suite } from './suite.ts';

/** Those that end by themselves come first: what they leave of their time goes to those that would go on for ever. */
export const suites: readonly Suite[] = [
  renames,
  cuts,
  sectors,
  tails,
  journalFlips,
  checkpointFlips,
  replays,
  liveness,
  bigCheckpoints,
  groupCommit,
  model,
  clock,
  ackOrder,
  failedSyncs,
  refusals,
  fullDisk,
  shortWrites,
  firstStarts,
  secondServers,
  browsersSuite,
  greedySuite,
  fairnessSuite,
  parsersSuite,
  killSuite,
  racesSuite,
  throttleSuite,
  timingSuite,
  fuzzSuite,
  simulator,
  kills,
  killpoints,
  stops,
  soak,
];

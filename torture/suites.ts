/** All suites, in the order in which they run. */
import type { Suite } from './suite.ts';
import { checkpointFlips, cuts, journalFlips, replays, sectors, tails } from './suites/damage.ts';
import { killpoints, kills, stops } from './suites/kills.ts';
import { renames } from './suites/renames.ts';
import { simulator } from './suites/simulator.ts';

export type { Budget, Finding, Suite } from './suite.ts';

export const suites: readonly Suite[] = [
  renames,
  cuts,
  sectors,
  tails,
  journalFlips,
  checkpointFlips,
  replays,
  simulator,
  kills,
  killpoints,
  stops,
];

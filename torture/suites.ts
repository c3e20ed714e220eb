/** All suites, in the order in which they run. */
import { fuzzSuite } from './fuzz/index.ts';
import { greedySuite } from './hostile/index.ts';
import { racesSuite } from './races/index.ts';
import { killSuite } from './races/kill.ts';
import type { Suite } from './suite.ts';
import { timingSuite } from './timing/index.ts';

export type { Budget, Finding, Suite } from './suite.ts';

export const suites: readonly Suite[] = [racesSuite, killSuite, timingSuite, fuzzSuite, greedySuite];

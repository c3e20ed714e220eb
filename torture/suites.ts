/** All suites, in the order in which they run. */
import type { Suite } from './suite.ts';

export type { Budget, Finding, Suite } from './suite.ts';

export const suites: readonly Suite[] = [];

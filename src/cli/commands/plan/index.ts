/** The commands of declarative provisioning. */
export { addApply } from './apply.ts';
export { addDiff } from './diff.ts';
export { addExport } from './export.ts';
export { addPlan } from './plan.ts';

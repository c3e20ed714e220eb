/** Implements `iam plan`, `apply`, `diff` and `export`. A separate bundle file that other commands do not load. */
import type { CommandOptions } from '../context.ts';
import type { PlanDeps } from './deps.ts';
import {
  createTextStyle,
  formatChanges,
  getDocumentFiles,
  renderLines,
  renderPlan,
  toChangeJson,
} from './format-plan.ts';
import { prepare, readContent } from './prepare.ts';
import { savePlan } from './saved-plan.ts';

export { runApply } from './apply.ts';
export { runExport } from './export.ts';

/** `iam plan`. */
export async function runPlan(deps: PlanDeps, options: CommandOptions, file: string | undefined): Promise<void> {
  const prune = options.prune === true;
  const content = await readContent(deps, getDocumentFiles(options), options.set as string | undefined);
  const prepared = await prepare(deps, content, prune);
  await renderPlan(deps, prepared.plan);
  if (file !== undefined) {
    await savePlan(deps, file, content, prepared, prune);
    deps.context.notice(`Saved the plan to ${file}. Apply it with \`iam apply ${file}\`.`);
  }
  if (options.detailedExitcode === true && prepared.plan.changes.length > 0) throw deps.quietExit(9);
}

/** `iam diff`. */
export async function runDiff(deps: PlanDeps, options: CommandOptions): Promise<void> {
  const content = await readContent(deps, getDocumentFiles(options), options.set as string | undefined);
  const { plan } = await prepare(deps, content, options.prune === true);
  const { printer } = deps.context;
  if (printer.isForPeople) await renderLines(deps, formatChanges(plan.changes, createTextStyle(deps)));
  else await printer.value(plan.changes.map(toChangeJson));
  if (plan.changes.length > 0) throw deps.quietExit(1);
}

/** Implements `iam plan`, `apply`, `diff` and `export`. Other commands do not load it. */
import type { CommandOptions, Context } from '../context.ts';
import { QuietExit } from '../errors.ts';
import { requireSendableCredentials } from '../http/connection.ts';
import { prepare, readContent } from './prepare.ts';
import { printChanges, printPlan } from './print-plan.ts';
import { savePlan } from './saved-plan.ts';

export { runApply } from './apply.ts';
export { runExport } from './export.ts';

/** `iam plan`. */
export async function runPlan(context: Context, options: CommandOptions, file: string | undefined): Promise<void> {
  requireSendableCredentials(context.settings);
  const prune = options.prune === true;
  const content = await readContent(context, options);
  const prepared = await prepare(context, content, prune);
  await printPlan(context, prepared.plan);
  if (file !== undefined) {
    await savePlan(context, file, content, prepared, prune);
    context.notice(`Saved the plan to ${file}. Apply it with \`iam apply ${file}\`.`);
  }
  if (options.detailedExitcode === true && prepared.plan.changes.length > 0) throw new QuietExit(9);
}

/** `iam diff`. */
export async function runDiff(context: Context, options: CommandOptions): Promise<void> {
  requireSendableCredentials(context.settings);
  const content = await readContent(context, options);
  const { plan } = await prepare(context, content, options.prune === true);
  await printChanges(context, plan.changes);
  if (plan.changes.length > 0) throw new QuietExit(1);
}

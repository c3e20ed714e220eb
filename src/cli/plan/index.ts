/** What the commands of provisioning do. A file of its own in the bundle: no other command loads it. */
import type { Options } from '../leaf.ts';
import { prepare, readContent } from './preparing.ts';
import { filesOf, printLines, printPlan, styleOf } from './printing.ts';
import { savePlan } from './saved-plan.ts';
import { changeLines, shownChange } from './text.ts';
import type { Tools } from './tools.ts';

export { runApply } from './applying.ts';
export { runExport } from './export-command.ts';

/** `iam plan`. */
export async function runPlan(tools: Tools, options: Options, file: string | undefined): Promise<void> {
  const prune = options.prune === true;
  const content = await readContent(tools, filesOf(options), options.set as string | undefined);
  const prepared = await prepare(tools, content, prune);
  await printPlan(tools, prepared.plan);
  if (file !== undefined) {
    await savePlan(tools, file, content, prepared, prune);
    tools.context.notice(`The plan is in ${file}; \`iam apply ${file}\` carries it out.`);
  }
  if (options.detailedExitcode === true && prepared.plan.changes.length > 0) throw tools.quietExit(9);
}

/** `iam diff`. */
export async function runDiff(tools: Tools, options: Options): Promise<void> {
  const content = await readContent(tools, filesOf(options), options.set as string | undefined);
  const { plan } = await prepare(tools, content, options.prune === true);
  const { printer } = tools.context;
  if (printer.isForPeople) await printLines(tools, changeLines(plan.changes, styleOf(tools)));
  else await printer.value(plan.changes.map(shownChange));
  if (plan.changes.length > 0) throw tools.quietExit(1);
}

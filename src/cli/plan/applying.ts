/** `iam apply`: a plan, a question, the writes one after the other, and what came of it. */
import type { Options } from '../leaf.ts';
import { execute, executionOf } from './executor.ts';
import type { Plan } from './plan.ts';
import { type Content, type Prepared, prepare, readContent } from './preparing.ts';
import { filesOf, printPlan } from './printing.ts';
import { fingerprintOf, loadPlan } from './saved-plan.ts';
import { type SecretKeeper, secretKeeper, secretLine } from './secret-keeping.ts';
import { addToRecord } from './set-record.ts';
import { type Step, stepsOf } from './steps.ts';
import { planData, shownChange, summaryOf, warningsOf } from './text.ts';
import type { Tools } from './tools.ts';

interface Asked {
  readonly content: Content;
  readonly prune: boolean;
  /** Of a saved plan: what it must still be. */
  readonly fingerprint?: string;
}

/** Applies documents, or a plan that was saved. */
export async function runApply(tools: Tools, savedPlan: string | undefined, options: Options): Promise<void> {
  const asked = await askedFor(tools, savedPlan, options);
  const prepared = await prepare(tools, asked.content, asked.prune);
  const { plan } = prepared;
  if (asked.fingerprint !== undefined && fingerprintOf(plan) !== asked.fingerprint)
    throw tools.failure('The plan is stale: what it relied on is not as it was.', {
      code: 'PLAN_STALE',
      exitCode: 6,
      fix: 'Make it again with `iam plan`, and look at what is different.',
    });
  const { context } = tools;
  const isDry = options.dryRun === true;
  if (!isDry) refuseLockout(tools, plan, options);
  if (isDry || plan.changes.length === 0 || context.printer.isForPeople) await printPlan(tools, plan);
  if (isDry) context.notice('Not sent: this was a dry run.');
  if (isDry || plan.changes.length === 0) return;
  const steps = stepsOf(plan.changes, prepared.state, prepared.caller);
  tools.requireChanges(steps.reduce((count, step) => count + (step.kind === 'join' ? step.members.length : 1), 0));
  await confirmPlan(tools, plan, options);
  await carryOut(tools, prepared, steps, options);
}

async function askedFor(tools: Tools, savedPlan: string | undefined, options: Options): Promise<Asked> {
  const files = filesOf(options);
  const set = options.set as string | undefined;
  if (savedPlan === undefined) return { content: await readContent(tools, files, set), prune: options.prune === true };
  if (files.length > 0 || set !== undefined || options.prune === true)
    throw tools.usage('A saved plan says all itself: it goes with neither -f nor --set nor --prune.');
  return loadPlan(tools, savedPlan);
}

function refuseLockout(tools: Tools, plan: Plan, options: Options): void {
  const { callerLoses, lastAdministrator } = plan.guards;
  if (options.allowSelfLockout === true || (callerLoses.length === 0 && !lastAdministrator)) return;
  throw tools.failure(`${warningsOf(plan)[0]} Nothing was changed.`, {
    code: 'SELF_LOCKOUT',
    exitCode: 2,
    fix: 'Change the documents, or add --allow-self-lockout where that is what you want.',
  });
}

/** Removing what was made, or administrators, is confirmed by typing a name; everything else by yes. */
async function confirmPlan(tools: Tools, plan: Plan, options: Options): Promise<void> {
  const stdinIsData = filesOf(options).includes('-');
  const { administratorsLose, lastAdministrator } = plan.guards;
  const gone = removedWords(plan);
  const name = plan.set ?? new URL(tools.baseUrl).host;
  if (gone === '' && administratorsLose.length === 0 && !lastAdministrator) {
    const changes = `${plan.changes.length} change${plan.changes.length === 1 ? '' : 's'}`;
    // A script confirms what may be removed this time, and need not know whether anything is.
    return tools.confirm(`Apply ${changes}?`, options, stdinIsData, { also: name });
  }
  const what = gone === '' ? 'This takes roles from administrators.' : `This removes ${gone} for good.`;
  await tools.confirm(what, options, stdinIsData, { severe: true, name });
}

/** `2 things and 1 membership`; nothing where the plan removes nothing. */
function removedWords(plan: Plan): string {
  const counted = (count: number, word: string) => (count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`]);
  return [...counted(summaryOf(plan).delete, 'thing'), ...counted(plan.pruned.length, 'membership')].join(' and ');
}

async function carryOut(
  tools: Tools,
  { plan, state, record }: Prepared,
  steps: readonly Step[],
  options: Options,
): Promise<void> {
  const keeper = await secretKeeper(tools, plan.changes, options.secretTo as string | undefined);
  const execution = executionOf(tools, state, {
    keepSecret: keeper.keep,
    remember: async (what, ...things) => {
      if (record !== undefined) await addToRecord(record, what, things);
    },
  });
  try {
    await execute(execution, steps);
  } catch (error) {
    // A secret that was made is lost where it is not shown now.
    await printSecrets(tools, keeper);
    await keeper.done();
    throw error;
  }
  await printResult(tools, plan, keeper);
  await keeper.done();
}

async function printResult(tools: Tools, plan: Plan, keeper: SecretKeeper): Promise<void> {
  const { context } = tools;
  const { format, isForPeople } = context.printer;
  if (isForPeople) await printSecrets(tools, keeper);
  else if (format === 'name' || format === 'csv') await context.printer.value(plan.changes.map(shownChange));
  else {
    const secrets = keeper.shown.length > 0 ? { secrets: keeper.shown } : {};
    await context.printer.value({ ...planData(plan), ...secrets });
  }
  const { create, update, delete: gone } = summaryOf(plan);
  context.notice(`Applied: ${create} created, ${update} changed, ${gone} deleted.`);
}

async function printSecrets(tools: Tools, { shown }: SecretKeeper): Promise<void> {
  if (shown.length === 0) return;
  const { printer, notice } = tools.context;
  if (printer.isForPeople) printer.lines(shown.map(secretLine));
  else await printer.value({ secrets: shown });
  notice('Keep the secrets now: they will not be shown again.');
}

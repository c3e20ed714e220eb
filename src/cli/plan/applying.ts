/** `iam apply`: a plan, a question, the writes one after the other, and what came of it. */
import type { Options } from '../leaf.ts';
import { execute, executionOf } from './executor.ts';
import type { Plan } from './plan.ts';
import { type Content, type Prepared, prepare, readContent } from './preparing.ts';
import { filesOf, printPlan } from './printing.ts';
import { fingerprintOf, loadPlan } from './saved-plan.ts';
import { type SecretKeeper, secretKeeper, secretLine } from './secret-keeping.ts';
import { addToRecord } from './set-record.ts';
import { stepsOf } from './steps.ts';
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
  await confirmPlan(tools, plan, options);
  await carryOut(tools, prepared, options);
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
  const { delete: gone } = summaryOf(plan);
  const { administratorsLose, lastAdministrator } = plan.guards;
  const isSevere = gone > 0 || administratorsLose.length > 0 || lastAdministrator;
  if (!isSevere)
    return tools.confirm(
      `Apply ${plan.changes.length} change${plan.changes.length === 1 ? '' : 's'}?`,
      options,
      stdinIsData,
    );
  const name = plan.set ?? new URL(tools.baseUrl).host;
  const what =
    gone > 0
      ? `This removes ${gone} thing${gone === 1 ? '' : 's'} for good.`
      : 'This takes administrators their roles.';
  await tools.confirmName(what, name, options.confirm as string | undefined, stdinIsData);
}

async function carryOut(tools: Tools, { plan, state, caller, record }: Prepared, options: Options): Promise<void> {
  const keeper = await secretKeeper(tools, plan.changes, options.secretTo as string | undefined);
  const execution = executionOf(tools, state, {
    keepSecret: keeper.keep,
    remember: async (what, thing) => {
      if (record !== undefined) await addToRecord(record, what, thing);
    },
  });
  try {
    await execute(execution, stepsOf(plan.changes, state, caller));
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

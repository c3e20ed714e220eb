/** `iam apply`: plans, confirms and executes the writes in order, and prints the result. */
import { assertChangeLimit } from '../config/safety.ts';
import { type CommandOptions, type Context, type RequestContext, toPartlyDone } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { requireSendableCredentials, resolveBaseUrl } from '../http/connection.ts';
import { readMaxWait } from '../http/retry.ts';
import { findSecretOutputFailure } from '../io/output-failure.ts';
import { canPrompt, prompt } from '../io/prompt.ts';
import { createErrorReport } from '../output/error-report.ts';
import { assertConfirmed } from '../request/confirm.ts';
import { notShownAgain } from '../request/response-secrets.ts';
import { getDocumentFiles } from './documents.ts';
import { createExecution } from './execution.ts';
import { listGainingAdministrators, listWarnings, summarize, toChangeJson, toPlanJson } from './format-plan.ts';
import { type InventoryLog, openInventory, withInventoryLock } from './inventory.ts';
import { createStalePlanError } from './model/stale-plan.ts';
import type { Plan } from './plan.ts';
import { findInventoryFile, type PlanContent, type PreparedPlan, prepare, readContent } from './prepare.ts';
import { createNamedStyle, createPlanStyle, printPlan } from './print-plan.ts';
import { creationId } from './prune.ts';
import type { Stage } from './resource.ts';
import { getKindLabel } from './resources/index.ts';
import { computeFingerprint, formatReplanHint, loadPlan, type SavedPlan, toPlanBasis } from './saved-plan.ts';
import { formatSecret, lostSecretsError, openSecretOutput, type SecretOutput } from './secret-output.ts';
import { buildStages, executeStages, listStepIds } from './steps.ts';

interface ApplyInput {
  readonly content: PlanContent;
  readonly prune: boolean;
  /** What a saved plan was made from. */
  readonly saved?: Pick<SavedPlan, 'fingerprint' | 'basis'>;
}

/** Applies desired-state files or a saved plan. */
export async function runApply(
  context: Context,
  savedPlan: string | undefined,
  options: CommandOptions,
): Promise<void> {
  requireSendableCredentials(context.settings);
  const input = await readApplyInput(context, savedPlan, options);
  const file = options.dryRun === true ? undefined : findInventoryFile(context, input.content);
  const { milliseconds, isChosen } = readMaxWait(context.settings);
  await withInventoryLock(file, isChosen ? milliseconds : 0, () => applyInput(context, input, savedPlan, options));
}

async function applyInput(
  context: Context,
  input: ApplyInput,
  savedPlan: string | undefined,
  options: CommandOptions,
): Promise<void> {
  const isDry = options.dryRun === true;
  const prepared = await prepareOwned(context, input, options);
  const { plan } = prepared;
  if (input.saved && computeFingerprint(plan) !== input.saved.fingerprint)
    throw createStalePlanError(
      input.saved.basis,
      toPlanBasis(plan),
      await createPlanStyle(context, plan),
      formatReplanHint(savedPlan ?? '', input.prune),
    );
  if (!isDry) await assertNoLockout(context, plan, options);
  if (isDry || plan.changes.length === 0 || context.printer.isForPeople) await printPlan(context, plan);
  if (isDry) context.notice('Dry run, nothing was sent.');
  const { news } = prepared.ownership;
  if (isDry || plan.changes.length + news.length === 0) return;
  const stages = buildStages(plan.changes, prepared.state, prepared.caller);
  assertChangeLimit(context.settings, countWrites(stages));
  // Nothing may be created that cannot be recorded: it would never be pruned.
  const log = await openInventory(prepared.inventoryFile);
  try {
    await log.append(...news);
    if (plan.changes.length === 0) return;
    await confirmPlan(context, plan, options, input.saved !== undefined);
    await executePlan(context, prepared, stages, log, options);
  } finally {
    await log.close();
  }
}

/** Asks at a terminal for what another writer may have created: --prune deletes it only if the set claims it. */
async function prepareOwned(context: Context, input: ApplyInput, options: CommandOptions): Promise<PreparedPlan> {
  const { content, prune, saved } = input;
  const prepared = await prepare(context, content, prune);
  const promptOptions = context.promptOptions(isStdinData(options));
  if (!prune || saved || options.dryRun === true || !canPrompt(promptOptions)) return prepared;
  const claimed = new Set<string>();
  for (const { kind, id, name, isUnclear } of prepared.plan.kept) {
    if (!isUnclear) continue;
    const message = `The set ${content.set} or another writer created ${getKindLabel(kind)} ${name}: the response was lost. Delete it as well?`;
    if ((await prompt(promptOptions, { type: 'confirm', message, default: false })) === true)
      claimed.add(`${kind} ${id}`);
  }
  return claimed.size === 0 ? prepared : prepare(context, content, prune, claimed);
}

function isStdinData(options: CommandOptions): boolean {
  return getDocumentFiles(options).includes('-');
}

/** A request that adds members counts once for each of them. */
function countWrites(stages: readonly Stage[]): number {
  return stages
    .flat()
    .reduce(
      (count, step) => count + (step.kind === 'membership' && step.action === 'join' ? step.members.length : 1),
      0,
    );
}

async function readApplyInput(
  context: Context,
  savedPlan: string | undefined,
  options: CommandOptions,
): Promise<ApplyInput> {
  if (savedPlan === undefined) return { content: await readContent(context, options), prune: options.prune === true };
  if (getDocumentFiles(options).length > 0 || options.set !== undefined || options.prune === true)
    throw usageError('A saved plan cannot be combined with -f, --set or --prune.');
  const saved = await loadPlan(context, savedPlan);
  return { content: saved.content, prune: saved.prune, saved };
}

async function assertNoLockout(context: Context, plan: Plan, options: CommandOptions): Promise<void> {
  const { callerLoses, lastAdministrator } = plan.guards;
  if (options.allowSelfLockout === true || (callerLoses.length === 0 && !lastAdministrator)) return;
  const [warning = ''] = listWarnings(plan, await createPlanStyle(context, plan));
  throw new CliError(`${warning} Nothing was changed.`, {
    code: 'SELF_LOCKOUT',
    exitCode: 2,
    hint: 'Change the files, or allow the change with --allow-self-lockout.',
  });
}

/**
 * Deletions and the loss of administrative roles need a typed name as confirmation; other changes need a yes, unless the
 * plan was saved, and so reviewed.
 */
async function confirmPlan(context: Context, plan: Plan, options: CommandOptions, isSaved: boolean): Promise<void> {
  const stdinIsData = isStdinData(options);
  const { administratorsLose, lastAdministrator } = plan.guards;
  const removed = describeRemovals(plan);
  const name = plan.set ?? new URL(resolveBaseUrl(context.settings)).host;
  if (removed === '' && administratorsLose.length === 0 && !lastAdministrator) {
    const changes = `${plan.changes.length} change${plan.changes.length === 1 ? '' : 's'}`;
    const gaining = listGainingAdministrators(plan).length;
    const question =
      gaining === 0 ? `Apply ${changes}?` : `Apply ${changes}, with administrative roles for ${gaining}?`;
    const confirmed = isSaved ? { ...options, yes: true } : options;
    // A script can pass --confirm NAME without knowing whether this run deletes anything.
    return assertConfirmed(context, question, confirmed, stdinIsData, { alternativeName: name });
  }
  const question = removed === '' ? 'This removes roles from administrators.' : `This permanently removes ${removed}.`;
  await assertConfirmed(context, question, options, stdinIsData, { requireName: true, name });
}

/** `2 resources and 1 membership`; empty if the plan removes nothing. */
function describeRemovals(plan: Plan): string {
  const formatCount = (count: number, word: string) =>
    count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`];
  return [...formatCount(summarize(plan).delete, 'resource'), ...formatCount(plan.pruned.length, 'membership')].join(
    ' and ',
  );
}

/** Exit codes of requests that the server rejected. */
const rejections: readonly number[] = [3, 4, 5, 6, 7];

async function executePlan(
  context: Context,
  { plan, state, ownership }: PreparedPlan,
  stages: readonly Stage[],
  log: InventoryLog,
  options: CommandOptions,
): Promise<void> {
  const secretOutput = await openSecretOutput(context, plan.changes, options.secretOutput as string | undefined);
  const lost = new Set(ownership.news.flatMap((one) => (one.what === 'dropped' ? [creationId(one)] : [])));
  const execution = createExecution(withoutInterrupts(context), state, {
    storeSecret: secretOutput.write,
    // A lost request can still arrive, so that the name is taken now: a rejection is no news about it.
    record: (...entries) =>
      log.append(...entries.filter((one) => one.what !== 'dropped' || !lost.has(creationId(one)))),
  });
  try {
    await executeStages(execution, stages, context.io.signal, await createNamedStyle(context, listStepIds(stages)));
  } catch (error) {
    // Secrets created so far would be lost if they were not printed now.
    await printSecrets(context, secretOutput);
    await secretOutput.close();
    const { exitCode } = createErrorReport(error, context.manifest);
    const { countChanges } = await context.connect();
    throw rejections.includes(exitCode) && countChanges() > 0
      ? toPartlyDone(error, countChanges(), context.manifest)
      : error;
  }
  await printResult(context, plan, secretOutput);
  await secretOutput.close();
}

/** An interrupt ends an apply between two steps: the response of a request that was sent is awaited and recorded. */
function withoutInterrupts({ manifest, environment, settings, notice, connect }: Context): RequestContext {
  return { manifest, environment, settings, notice, connect, io: { signal: new AbortController().signal } };
}

async function printResult(context: Context, plan: Plan, secretOutput: SecretOutput): Promise<void> {
  const { format, isForPeople } = context.printer;
  if (isForPeople) await printSecrets(context, secretOutput);
  else if (format === 'name' || format === 'csv') await context.printer.value(plan.changes.map(toChangeJson));
  else {
    const secrets = secretOutput.unsaved.length > 0 ? { secrets: secretOutput.unsaved } : {};
    await context.printer.value({ ...toPlanJson(plan, await createPlanStyle(context, plan)), ...secrets });
    await assertPrinted(context, secretOutput);
  }
  const { create, update, delete: removed } = summarize(plan);
  context.notice(`Applied: ${create} created, ${update} changed, ${removed} deleted.`);
}

async function printSecrets(context: Context, secretOutput: SecretOutput): Promise<void> {
  const { unsaved } = secretOutput;
  if (unsaved.length === 0) return;
  const { printer, notice } = context;
  if (printer.isForPeople) printer.lines(unsaved.map(formatSecret));
  else await printer.value({ secrets: unsaved });
  await assertPrinted(context, secretOutput);
  notice(`Store the ${unsaved.length === 1 ? 'secret' : 'secrets'} now. ${notShownAgain(unsaved.length)}`);
}

/** @throws CliError with the owners of the secrets if standard output did not take them */
async function assertPrinted({ io }: Context, { unsaved }: SecretOutput): Promise<void> {
  const failure = unsaved.length > 0 ? await findSecretOutputFailure(io) : undefined;
  if (failure) throw lostSecretsError(failure, unsaved);
}

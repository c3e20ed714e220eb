/** `iam conformance`: starts the reference, runs the suite, cleans up and reports. */
import { randomBytes } from 'node:crypto';
import { parseBaseUrl } from '../../client/request.ts';
import type { Manifest } from '../../contract/manifest-types.ts';
import { resolveCredentials } from '../auth/credentials.ts';
import { assertChangeLimit, assertWritable, resolveSafetyRules } from '../config/safety.ts';
import type { CommandOptions, Context } from '../context.ts';
import { CliError, QuietExit } from '../errors.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import { readMaxWait } from '../http/retry.ts';
import { formatServerOptions } from '../http/server-options.ts';
import { getTerminalWidth } from '../io/io.ts';
import { type BaselineEntry, readBaseline, updateBaseline, writeBaseline } from './baseline.ts';
import { readSuiteCaller, type SuiteCaller } from './caller-authorities.ts';
import type { ConformanceCase, Scenario } from './case.ts';
import { Cleanup, type LeftOver } from './cleanup.ts';
import { Deployment } from './deployment.ts';
import { type ConformanceOptions, parseConformanceOptions } from './options.ts';
import { printReport } from './print-report.ts';
import { SuiteProgress } from './progress.ts';
import { startReferenceServer } from './reference-server.ts';
import { buildReport, type ConformanceReport } from './report.ts';
import { type CaseResult, runScenarios, type SuiteDeps } from './run-suite.ts';
import { listScenarios } from './suite.ts';

/** Runs the command. @throws QuietExit (exit 1) for a difference that the baseline does not accept */
export async function runConformance(context: Context, typed: CommandOptions): Promise<void> {
  const { manifest, settings } = context;
  const options = parseConformanceOptions(manifest, typed);
  if (options.listsCases) return printCases(context, options);
  const baseUrl = resolveBaseUrl(settings);
  if (options.allowsWrites) assertWritable(settings);
  const baseline = await readOptionalBaseline(context, options);
  await assertReachable(context);
  const caller = await readSuiteCaller(context);
  const scenarios = selectScenarios(listScenarios(manifest, caller), options);
  assertWithinChangeLimit(context, scenarios, options);
  const { results, leftOver } = await runWithReference(context, options, caller, scenarios);
  if (context.io.signal.aborted) {
    reportLeftOver(context, leftOver);
    throw context.io.signal.reason;
  }
  const report = buildReport({
    manifest,
    baseUrl,
    writes: options.allowsWrites,
    selected: options.selected,
    results,
    baseline,
    leftOver,
  });
  if (options.updatesBaseline && options.baseline !== undefined)
    await writeBaseline(options.baseline, updateBaseline(baseline, report.staleBaseline, report.differences));
  await printReport(context, report, options);
  reportLeftOver(context, leftOver);
  assertConforms(report, options);
}

/** Prints the cases without sending them, as for a caller of unknown roles. */
async function printCases({ manifest, printer }: Context, options: ConformanceOptions): Promise<void> {
  const scenarios = selectScenarios(listScenarios(manifest, { kind: 'unknown', authorities: undefined }), options);
  const cases = scenarios.flatMap((scenario) => scenario.cases).filter((one) => options.selected.has(one.operation));
  const methods = new Map(manifest.operations.map(({ id, method }) => [id, method]));
  await printer.value(
    cases.map(({ operation, name, kind, request }) => ({
      operation,
      case: name,
      kind,
      method: request.method ?? methods.get(operation),
    })),
  );
}

/** A baseline that is written may not exist yet. */
async function readOptionalBaseline(
  { io, manifest }: Context,
  options: ConformanceOptions,
): Promise<readonly BaselineEntry[]> {
  if (options.baseline === undefined) return [];
  const { existsSync } = await import('node:fs');
  if (options.updatesBaseline && !existsSync(options.baseline)) return [];
  return readBaseline(
    options.baseline,
    manifest.operations.map(({ id }) => id),
    io,
  );
}

/** @throws NetworkError if the deployment does not respond */
async function assertReachable(context: Context): Promise<void> {
  const client = await context.connect();
  await client.raw('GET', `${context.manifest.prefix}/keys`, { anonymous: true, signal: context.io.signal });
}

/** A scenario with a selected operation runs as a whole, because its cases depend on each other. */
function selectScenarios(scenarios: readonly Scenario[], { selected }: ConformanceOptions): Scenario[] {
  return scenarios.filter(({ cases }) => cases.some(({ operation }) => selected.has(operation)));
}

/** Counts all requests that a service could take for changes. @throws CliError (exit 2) */
function assertWithinChangeLimit(
  { manifest, settings }: Context,
  scenarios: readonly Scenario[],
  { allowsWrites }: ConformanceOptions,
): void {
  if (resolveSafetyRules(settings).readOnly) return;
  const reads = new Set(manifest.operations.filter(({ method }) => method === 'GET').map(({ id }) => id));
  const isWrite = (one: ConformanceCase) => (one.kind !== 'write' || allowsWrites) && !reads.has(one.operation);
  assertChangeLimit(settings, scenarios.flatMap(({ cases }) => cases).filter(isWrite).length);
}

interface SuiteOutcome {
  readonly results: readonly CaseResult[];
  readonly leftOver: readonly LeftOver[];
}

async function runWithReference(
  context: Context,
  options: ConformanceOptions,
  caller: SuiteCaller,
  scenarios: readonly Scenario[],
): Promise<SuiteOutcome> {
  const { manifest, settings, io } = context;
  const server = await startReferenceServer(caller, manifest, options.referenceSettings);
  try {
    // The same on both sides, so that names are equal.
    const random = randomBytes(4).toString('hex');
    const names = { run: `iam-conformance-${random}`, logon: `Z${random.slice(1).toUpperCase()}` };
    const maxWait = readMaxWait(settings).milliseconds;
    const pause = async (milliseconds: number) => context.environment.pause?.(milliseconds, io.signal);
    const deploy = async (client: Deployment['client'], variables: Readonly<Record<string, string>>) =>
      new Deployment({
        client,
        manifest,
        variables: new Map(Object.entries({ ...names, ...variables })),
        fixed: new Set(Object.keys(variables)),
        maxWait,
        signal: io.signal,
        pause,
      });
    const target = await deploy((await context.connect()).direct, options.existing);
    const reference = await deploy(server.client, server.variables);
    const { origin, basePath } = parseBaseUrl(resolveBaseUrl(settings), manifest.prefix);
    const cleanup = new Cleanup(target, formatServerOptions(settings.options));
    const results = await collectResults(context, scenarios, {
      target,
      reference,
      caller,
      cleanup,
      allowsWrites: options.allowsWrites,
      isReadOnly: resolveSafetyRules(settings).readOnly !== undefined,
      concurrency: options.concurrency,
      reproduction: { root: origin + basePath, usesApiKey: resolveCredentials(settings).kind === 'api-key' },
      signal: io.signal,
    });
    return results;
  } finally {
    await server.stop();
  }
}

/** Runs the suite and cleans up, also after a failure. */
async function collectResults(
  context: Context,
  scenarios: readonly Scenario[],
  deps: SuiteDeps,
): Promise<SuiteOutcome> {
  const { io, environment, settings } = context;
  const total = scenarios.reduce((sum, { cases }) => sum + cases.length, 0);
  const isShown = getTerminalWidth(io.stderr) !== undefined && settings.options.quiet !== true;
  const progress = isShown ? new SuiteProgress(io.stderr, total, environment.now) : undefined;
  const results: CaseResult[] = [];
  try {
    for await (const some of runScenarios(deps, scenarios)) {
      results.push(...some);
      progress?.add(some.length, some.filter(({ differences }) => differences.length > 0).length);
    }
  } catch (error) {
    progress?.clear();
    reportLeftOver(context, await deps.cleanup.run());
    throw error;
  }
  progress?.clear();
  if (io.signal.aborted && !deps.cleanup.isEmpty) context.notice('Interrupted. Deleting what the suite created.');
  return { results: sortResults(results, scenarios, context.manifest), leftOver: await deps.cleanup.run() };
}

/** Puts the results in the order of the operations, and of the suite. */
function sortResults(results: readonly CaseResult[], scenarios: readonly Scenario[], { operations }: Manifest) {
  const keys = scenarios.flatMap(({ cases }) => cases.map(({ operation, name }) => `${operation} ${name}`));
  const orderOfCases = new Map(keys.map((key, at) => [key, at]));
  const orderOfOperations = new Map(operations.map(({ id }, at) => [id, at]));
  const rank = (one: CaseResult) => [
    orderOfOperations.get(one.operation) ?? 0,
    orderOfCases.get(`${one.operation} ${one.case}`) ?? 0,
  ];
  return results
    .map((one) => ({ one, rank: rank(one) }))
    .sort((a, b) => (a.rank[0] ?? 0) - (b.rank[0] ?? 0) || (a.rank[1] ?? 0) - (b.rank[1] ?? 0))
    .map(({ one }) => one);
}

function reportLeftOver(context: Context, leftOver: readonly LeftOver[]): void {
  for (const { entity, reason, command } of leftOver)
    context.notice(
      `warning: ${entity} was not deleted: ${reason}.`,
      ...(command === undefined ? [] : [`Delete it with: ${command}`]),
    );
}

function assertConforms({ summary, leftOver }: ConformanceReport, { updatesBaseline }: ConformanceOptions): void {
  if (summary.different > 0 && !updatesBaseline) throw new QuietExit(1);
  if (leftOver.length > 0)
    throw new CliError(`${leftOver.length} entities of the suite were not deleted.`, {
      code: 'NOT_CLEANED_UP',
      exitCode: 70,
      hint: 'Delete them with the commands above.',
    });
  if (summary.cases > 0 && summary.cases === summary.notChecked)
    throw new CliError('No case was checked.', {
      code: 'NOTHING_CHECKED',
      exitCode: 1,
      hint: 'Sign in with a caller that has the roles, or add --allow-writes.',
    });
}

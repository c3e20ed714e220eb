/** Runs the scenarios against the deployment and the reference, and compares the responses. */
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { runConcurrently } from '../http/run-concurrently.ts';
import { callerHasRoles, type SuiteCaller } from './caller-authorities.ts';
import { type ConformanceCase, listVariables, type Scenario } from './case.ts';
import type { Cleanup } from './cleanup.ts';
import { compareResponses, type ResponseDifference } from './compare.ts';
import type { Deployment } from './deployment.ts';
import { type Answer, type Observation, observe } from './observation.ts';
import { formatReproduction, type ReproduceOptions } from './reproduce.ts';

export interface SuiteDeps {
  readonly target: Deployment;
  readonly reference: Deployment;
  readonly caller: SuiteCaller;
  readonly cleanup: Cleanup;
  readonly allowsWrites: boolean;
  /** The profile allows reads only. */
  readonly isReadOnly: boolean;
  readonly concurrency: number;
  readonly reproduction: ReproduceOptions;
  readonly signal: AbortSignal;
}

export interface CaseResult {
  readonly operation: string;
  readonly case: string;
  readonly isSuccess: boolean;
  /** Why it was not checked. */
  readonly skipped?: string;
  readonly differences: readonly ResponseDifference[];
  /** The status of the reference; absent if nothing was sent. */
  readonly expectedStatus?: number;
  /** A command that sends the request; absent if nothing was sent. */
  readonly reproduce?: string;
}

/** Yields the result of each case. After the signal no further case is sent. */
export async function* runScenarios(
  deps: SuiteDeps,
  scenarios: readonly Scenario[],
): AsyncGenerator<readonly CaseResult[], void, undefined> {
  const isOver = () => deps.signal.aborted;
  yield* runConcurrently(scenarios.values(), deps.concurrency, (scenario) => runScenario(deps, scenario), isOver);
}

async function runScenario(deps: SuiteDeps, { cases }: Scenario): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of cases) {
    if (deps.signal.aborted) break;
    const result = await runCase(deps, one);
    if (result) results.push(result);
  }
  return results;
}

/** @returns undefined if the run was interrupted meanwhile */
async function runCase(deps: SuiteDeps, one: ConformanceCase): Promise<CaseResult | undefined> {
  const base = {
    operation: one.operation,
    case: one.name,
    isSuccess: one.isSuccess === true,
    differences: [],
  };
  const operation = deps.target.operation(one.operation);
  const skipped = findReasonToSkip(deps, one, operation) ?? (await findReasonNotToCreate(deps, one));
  if (skipped !== undefined) return { ...base, skipped };
  try {
    const [reference, seen] = await Promise.all([
      deps.reference.send(one),
      deps.cleanup.track(one, () => deps.target.send(one)),
    ]);
    const judged = judge(deps, one, operation, reference, seen);
    return { ...base, ...judged, reproduce: formatReproduction(deps.target, one, deps.reproduction) };
  } catch (error) {
    if (deps.signal.aborted) return undefined;
    throw error;
  }
}

/** Nothing is created that the caller could not delete. */
async function findReasonNotToCreate(
  { target, caller, cleanup }: SuiteDeps,
  { undo }: ConformanceCase,
): Promise<string | undefined> {
  if (!undo) return undefined;
  const { id, roles } = target.operation(undo.operation);
  const mayUndo = callerHasRoles(caller, roles) ?? (await cleanup.mayUndo(undo));
  return mayUndo ? undefined : `the caller could not delete it with ${id}: needs ${roles}`;
}

function findReasonToSkip(
  { target, caller, allowsWrites, isReadOnly }: SuiteDeps,
  one: ConformanceCase,
  operation: ManifestOperation,
): string | undefined {
  const { kind, request } = one;
  if (kind === 'write' && !allowsWrites) return 'needs --allow-writes';
  if (isReadOnly && (request.method ?? operation.method) !== 'GET') return 'the profile is read-only';
  const isCaller = (request.credentials ?? { kind: 'caller' }).kind === 'caller';
  if (isCaller && operation.auth !== 'none' && caller.kind === 'none') return 'needs credentials';
  if (isCaller && one.ignoresRoles !== true && callerHasRoles(caller, operation.roles) === false)
    return `the caller lacks a role: needs ${operation.roles}`;
  const missing = listVariables(request).find((name) => !target.variables.has(name));
  if (missing === undefined) return undefined;
  return one.existing === true
    ? 'the deployment has too few entities to read'
    : `an earlier response had no ${missing}`;
}

/** Compares two answers; a role that the caller may lack is no difference. */
function judge(
  { target, reference: source, caller }: SuiteDeps,
  one: ConformanceCase,
  operation: ManifestOperation,
  expected: Answer,
  seen: Answer,
): Pick<CaseResult, 'differences' | 'skipped' | 'expectedStatus'> {
  if (!('response' in expected))
    return { differences: [], skipped: `the reference gave no response: ${expected.failure}` };
  const reference = observe(expected.response, operation, source.variables);
  if (!('response' in seen)) {
    const { status } = reference;
    const difference = { aspect: 'status', expected: String(status), seen: `no response (${seen.failure})` } as const;
    return { expectedStatus: status, differences: [difference] };
  }
  const observation = observe(seen.response, operation, target.variables);
  if (mayLackRole(caller, one, reference, observation))
    return { differences: [], skipped: `the caller may lack a role: needs ${operation.roles}` };
  const comparison = { reference, seen: observation, body: seen.response.body };
  return { expectedStatus: reference.status, differences: compareResponses(one, operation, comparison) };
}

const missingRole = 'ROLE_MISSING';

/** Whether only the target refused a caller of unknown roles. */
function mayLackRole(
  { authorities }: SuiteCaller,
  { request }: ConformanceCase,
  reference: Observation,
  seen: Observation,
): boolean {
  if (authorities || (request.credentials ?? { kind: 'caller' }).kind !== 'caller') return false;
  const isRefused = ({ status, codes = [] }: Observation) => status === 403 || codes.includes(missingRole);
  return isRefused(seen) && !isRefused(reference);
}

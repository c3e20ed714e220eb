/** Executes one row: sends the request, retries while the server is busy, records and reports the result. */

import { ClientError } from '../../client/errors.ts';
import type { ApiResponse } from '../../client/response.ts';
import { identifyingProperties } from '../../contract/entities.ts';
import { collectSensitiveTexts, FieldTree, redactionMarks } from '../../contract/redaction.ts';
import type { RequestContext } from '../context.ts';
import { createOrFind, findApplied, formatSharedKey } from '../create/if-not-exists.ts';
import { UnknownOutcomeError } from '../errors.ts';
import { isTargetDone } from '../http/outcome.ts';
import { splitSecrets } from '../http/redact.ts';
import { computeDelay, type MaxWait } from '../http/retry.ts';
import { addCreatedId } from '../request/created-entity.ts';
import { nameRejected } from '../request/not-found.ts';
import { AmbiguousNameError, NameResolver } from '../request/resolve-names.ts';
import type { KeyedQueue } from './keyed-queue.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { classifyRequestError, type RequestFailure } from './request-failure.ts';
import type { ResumeLogEntry, RowState } from './resume-log.ts';
import type { RowSuccess } from './row-updates.ts';
import { type BulkRow, type InvalidRow, resolveRow } from './rows.ts';

/** One line of the report. */
export interface RowResult {
  readonly line: number;
  readonly operation?: string | undefined;
  /** `invalid`: rejected before sending. `unknown`: sent without a response. */
  readonly state: Exclude<RowState, 'none' | 'sent'> | 'invalid';
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** Id of the created resource. */
  readonly id?: string | undefined;
  readonly requestId?: string | undefined;
}

export interface RowOutputs {
  log(entry: ResumeLogEntry): Promise<void>;
  reject(text: string): Promise<void>;
  /** Stores the secrets of a response. */
  writeSecrets(secrets: object): Promise<void>;
}

export interface RowContext extends RequestContext {
  /** How long a row waits for a server that is busy or cannot be reached. */
  readonly maxWait: MaxWait;
  /** What a row creates and exists is not created again. */
  readonly ifNotExists: boolean;
  /** Rows that would create the same wait for each other, where the server would let both. */
  readonly creations: KeyedQueue;
  readonly rateLimiter: RateLimiter;
  /** Sends a row that changes only what it names; undefined for a row that is sent as it is. */
  sendUpdate(row: BulkRow): Promise<RowSuccess> | undefined;
  /** Whether an earlier attempt of a row renamed what it updates. */
  isRenamed(row: BulkRow): Promise<boolean>;
  readonly outputs: RowOutputs;
  /** Whether no further row may start. */
  isOver(): boolean;
  /** Ends the run with an error that would affect all further rows. */
  stop(reason: unknown): void;
}

/**
 * Executes a row. Returns undefined if the run ended before the row started.
 * @param isRepeated an earlier run sent it, and it may have been applied
 */
export async function executeRow(
  context: RowContext,
  row: BulkRow,
  isRepeated: boolean,
): Promise<RowResult | undefined> {
  const { rateLimiter, outputs } = context;
  await rateLimiter.acquire(() => context.isOver());
  if (context.isOver()) return undefined;
  const { number, line, operation } = row;
  const outcome = await resolveAndCall(context, row, isRepeated);
  const result = 'problem' in outcome ? await explainNotFound(context, row, outcome, isRepeated) : outcome;
  if ('problem' in result) return recordFailure(context, row, result.problem);
  const { status, requestId, message } = result;
  const body = message === undefined ? addCreatedId(operation, row.input.body, result.body) : result.body;
  const id = findId(body);
  if (operation.response.secret && message === undefined)
    await outputs.writeSecrets({
      line,
      operation: operation.id,
      id,
      ...splitSecrets(operation.response, body).secrets,
    });
  await outputs.log({ row: number, line, state: 'ok', status, id });
  return { line, operation: operation.id, state: 'ok', status, code: undefined, message, id, requestId };
}

async function resolveAndCall(context: RowContext, row: BulkRow, isRepeated: boolean): Promise<CallOutcome> {
  const { number, line, operation } = row;
  const resolved = await resolveNames(context, row);
  if ('problem' in resolved) return resolved;
  if (operation.effect !== 'read') await context.outputs.log({ row: number, line, state: 'sent' });
  const outcome = await callInTurn(context, resolved);
  return 'problem' in outcome && isRepeated ? readBack(context, resolved, outcome) : outcome;
}

/** Replaces names by ids. Nothing of the row is sent yet. */
async function resolveNames(context: RowContext, row: BulkRow): Promise<BulkRow | RowFailure> {
  const { manifest, stop } = context;
  try {
    // Rows before this one, and other callers, can have given a name to another.
    return await resolveRow(new NameResolver(context, false, false), row);
  } catch (error) {
    const problem = classifyRequestError(manifest, error);
    if (!problem) throw error;
    if (error instanceof AmbiguousNameError) return { problem, error };
    // The look-ups of other rows would fail as well.
    stop(error);
    return { problem: { ...problem, kind: 'unsent' }, error };
  }
}

/** Writes an invalid row to the reject file and reports it. */
export async function rejectRow({ outputs }: Pick<RowContext, 'outputs'>, row: InvalidRow): Promise<RowResult> {
  await outputs.reject(row.text);
  await outputs.log({ row: row.number, line: row.line, state: 'failed', code: 'INVALID' });
  return { line: row.line, state: 'invalid', code: 'INVALID', message: row.reason };
}

/** Reports a row of an earlier run that has no response and must not be repeated. */
export function createUnknownResult({ line, operation }: BulkRow): RowResult {
  const message = 'Sent without a response. Check whether it was applied.';
  return { line, operation: operation.id, state: 'unknown', code: 'ANSWER_UNSEEN', message };
}

async function recordFailure(context: RowContext, row: BulkRow, problem: RequestFailure): Promise<RowResult> {
  const { number, line, operation, text } = row;
  const isUnanswered = problem.kind === 'unanswered' && operation.effect !== 'read';
  const state = isUnanswered ? 'unknown' : 'failed';
  const { status, code, requestId } = problem;
  if (!isUnanswered) await context.outputs.reject(text);
  await context.outputs.log({ row: number, line, state, status, code });
  const message = withoutHiddenTexts(row, problem.message);
  return { line, operation: operation.id, state, status, code, message, id: undefined, requestId };
}

interface RowFailure {
  readonly problem: RequestFailure;
  readonly error: unknown;
}

type CallOutcome = RowSuccess | RowFailure;

/** Sends the row after those that would create the same. */
function callInTurn(context: RowContext, row: BulkRow): Promise<CallOutcome> {
  const work = () => callWithRetry(context, row);
  const key = context.ifNotExists ? formatSharedKey(row.operation, row.input.body) : undefined;
  return key === undefined ? work() : context.creations.run(key, work);
}

/** The failure of a row, unless it proves that an earlier attempt of the row was applied. */
async function readBack(context: RowContext, row: BulkRow, failure: RowFailure): Promise<CallOutcome> {
  const { operation, input } = row;
  const { error } = failure;
  if (!(error instanceof ClientError)) return failure;
  const client = (await context.connect()).once;
  if (await isTargetDone(client, context.manifest, operation, input, error)) return { message: appliedBefore };
  const body = await findApplied(context, operation, input, error);
  return body ? { body, message: appliedBefore } : failure;
}

const appliedBefore = 'applied before';

/** Renamed by an earlier attempt of the row, its entity is not found by its old name. */
async function explainNotFound(
  context: RowContext,
  row: BulkRow,
  failure: RowFailure,
  isRepeated: boolean,
): Promise<CallOutcome> {
  const { problem } = failure;
  if (problem.exitCode !== 3 || !(await context.isRenamed(row).catch(() => false))) return failure;
  if (isRepeated) return { message: appliedBefore };
  const message = `${problem.message} (one with the new name has all values of the row: it may have been renamed before)`;
  return { ...failure, problem: { ...problem, message } };
}

async function callWithRetry(context: RowContext, row: BulkRow): Promise<CallOutcome> {
  const { manifest, maxWait, rateLimiter } = context;
  for (let [waited, attempt] = [0, 1]; ; attempt += 1) {
    try {
      // An interruption does not abort a request in progress.
      const update = context.sendUpdate(row);
      if (update) return await update;
      const send = async () => (await context.connect()).once.call(row.operation.id, row.input);
      return context.ifNotExists ? await createOnce(context, row, send) : await send();
    } catch (error) {
      const problem = classifyRequestError(
        manifest,
        nameRejected(manifest, row.operation, row.typed ?? row.input, error),
      );
      if (!problem) throw error;
      const wait = computeBackoff(context, row, error, attempt);
      const isOver = wait === undefined || waited + wait > maxWait.milliseconds;
      // Other rows would fail as well.
      const stops =
        problem.kind === 'unsent' || problem.exitCode === 4 || (wait !== undefined && isAskedToWait(problem));
      if (isOver && stops) context.stop(error);
      if (isOver) return { problem, error };
      waited += wait;
      // The server would reject other rows as well, so all rows wait.
      rateLimiter.pauseFor(wait);
      await rateLimiter.acquire(() => context.isOver());
      if (context.isOver()) return { problem, error };
    }
  }
}

async function createOnce(
  context: RowContext,
  { operation, input }: BulkRow,
  send: () => Promise<ApiResponse>,
): Promise<RowSuccess> {
  const creation = await createOrFind(context, operation, input, send);
  if ('created' in creation) return creation.created;
  const { existing } = creation;
  const message = existing
    .describe()
    .map((line) => line.trim())
    .join(' ');
  return { body: existing.body, message };
}

function isAskedToWait({ retryAfter }: RequestFailure): boolean {
  return retryAfter !== undefined;
}

/** Returns the milliseconds to wait before a retry, or undefined for no retry. A row of unknown outcome is left to the user. */
function computeBackoff(
  context: RowContext,
  { operation }: BulkRow,
  failure: unknown,
  attempt: number,
): number | undefined {
  if (failure instanceof UnknownOutcomeError) return undefined;
  const isSent = failure instanceof ClientError;
  return computeDelay({ failure, isSent, isIdempotent: operation.idempotent }, attempt, context)?.milliseconds;
}

function findId(body: unknown): string | undefined {
  const entry = listEntries(body).find(([name, value]) => identifyingProperties.has(name) && typeof value === 'string');
  return entry?.[1] as string | undefined;
}

function listEntries(body: unknown): [string, unknown][] {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
}

/** Masks sensitive input values, because an error message can quote them. A short one is also a part of words. */
function withoutHiddenTexts({ operation, input }: BulkRow, message: string): string {
  const texts = collectSensitiveTexts(input.body, new FieldTree([operation.body ?? {}])).filter((text) => text !== '');
  return texts.reduce(
    (rest, text) => rest.replaceAll(text.length < 4 ? JSON.stringify(text) : text, redactionMarks.secret),
    message,
  );
}

/** One row: sent, tried again where the server was busy, noted and reported. */

import { identifyingProperties } from '../../contract/entities.ts';
import { FieldTree, hiddenTexts } from '../../contract/redaction.ts';
import { splitSecrets } from '../runtime/redact.ts';
import type { LedgerEntry, RowState } from './ledger.ts';
import type { Pace } from './pace.ts';
import type { Row, WrongRow } from './rows.ts';
import type { BulkTools, Problem } from './tools.ts';

/** A line of the report. */
export interface Outcome {
  readonly line: number;
  readonly operation?: string | undefined;
  /** `invalid`: refused here. `unknown`: sent, and no answer was seen. */
  readonly state: Exclude<RowState, 'none' | 'sent'> | 'invalid';
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** Id of what was made. */
  readonly id?: string | undefined;
  readonly requestId?: string | undefined;
}

export interface Places {
  note(entry: LedgerEntry): Promise<void>;
  reject(text: string): Promise<void>;
  /** Keeps the secrets of an answer. */
  keep(secrets: object): Promise<void>;
}

export interface Performing {
  readonly tools: BulkTools;
  readonly pace: Pace;
  readonly places: Places;
  /** No further row is to be begun. */
  isOver(): boolean;
  /** Ends the run: the rows that follow would fail of the same. */
  stop(reason: unknown): void;
}

/** Sends a row. Gives nothing where the run was over before it was its turn. */
export async function perform(parts: Performing, row: Row): Promise<Outcome | undefined> {
  const { pace, places } = parts;
  await pace.turn(() => parts.isOver());
  if (parts.isOver()) return undefined;
  const { number, line, operation } = row;
  if (operation.effect !== 'read') await places.note({ row: number, line, state: 'sent' });
  const result = await answerOf(parts, row);
  if ('problem' in result) return failed(parts, row, result.problem);
  const { status, body, requestId } = result;
  const id = idOf(body);
  if (operation.response.secret)
    await places.keep({ line, operation: operation.id, id, ...splitSecrets(operation.response, body).secrets });
  await places.note({ row: number, line, state: 'ok', status, id });
  return { line, operation: operation.id, state: 'ok', status, code: undefined, message: undefined, id, requestId };
}

/** A row that can't be sent: into the reject file, and reported. */
export async function refuse({ places }: Pick<Performing, 'places'>, row: WrongRow): Promise<Outcome> {
  await places.reject(row.text);
  await places.note({ row: row.number, line: row.line, state: 'failed', code: 'INVALID' });
  return { line: row.line, state: 'invalid', code: 'INVALID', message: row.reason };
}

/** A row of an earlier run whose answer never came, and that can't be repeated. */
export function unknownOutcome({ line, operation }: Row): Outcome {
  const message = 'It was sent and no answer came: look whether it is done.';
  return { line, operation: operation.id, state: 'unknown', code: 'ANSWER_UNSEEN', message };
}

async function failed(parts: Performing, row: Row, problem: Problem): Promise<Outcome> {
  const { number, line, operation, text } = row;
  const isOpen = problem.kind === 'unanswered' && operation.effect !== 'read';
  const state = isOpen ? 'unknown' : 'failed';
  const { status, code, requestId } = problem;
  if (!isOpen) await parts.places.reject(text);
  await parts.places.note({ row: number, line, state, status, code });
  const message = withoutHiddenTexts(row, problem.message);
  return { line, operation: operation.id, state, status, code, message, id: undefined, requestId };
}

type Result = { status: number; body: unknown; requestId: string | undefined } | { problem: Problem };

const attempts = 3;
const firstPause = 100;

async function answerOf(parts: Performing, row: Row): Promise<Result> {
  const { tools, pace } = parts;
  for (let [waited, attempt] = [0, 1]; ; attempt += 1) {
    try {
      return await tools.call(row.operation, row.input);
    } catch (error) {
      const problem = tools.problemOf(error);
      if (!problem) throw error;
      const wait = waitAfter(parts, row, problem, attempt);
      if (problem.kind === 'unsent' || problem.exitCode === 4) parts.stop(error);
      if (wait === undefined) return { problem };
      waited += wait;
      if (waited > tools.maxWait) {
        if (problem.retryAfter !== undefined) parts.stop(error);
        return { problem };
      }
      // Rows that come now would be sent away as well.
      pace.hold(wait);
      await pace.turn(() => parts.isOver());
      if (parts.isOver()) return { problem };
    }
  }
}

/** What the server asks for: it has not begun then, so that any row can come again. Without that only what may be repeated. */
function waitAfter({ tools }: Performing, { operation }: Row, problem: Problem, attempt: number): number | undefined {
  const { status, retryAfter } = problem;
  if (status !== 429 && status !== 503) return undefined;
  if (retryAfter !== undefined) return Math.max(firstPause, retryAfter * 1000);
  if (!operation.idempotent || attempt >= attempts) return undefined;
  return firstPause * 2 ** (attempt - 1) * (0.5 + tools.context.environment.random() / 2);
}

function idOf(body: unknown): string | undefined {
  const found = entriesOf(body).find(([name, value]) => identifyingProperties.has(name) && typeof value === 'string');
  return found?.[1] as string | undefined;
}

function entriesOf(body: unknown): [string, unknown][] {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
}

/** A server may repeat what it refuses. */
function withoutHiddenTexts({ operation, input }: Row, message: string): string {
  const texts = hiddenTexts(input.body, new FieldTree([operation.body ?? {}])).filter((text) => text !== '');
  return texts.reduce((rest, text) => rest.replaceAll(text, '(secret)'), message);
}

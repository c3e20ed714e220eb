/** Asks again for the values of a dialog that the server rejects, so that the others need not be typed again. */
import { ClientError } from '../../client/errors.ts';
import type { ErrorCategory } from '../../contract/error-codes.ts';
import type { Context } from '../context.ts';
import { categoryOf, type ErrorTable, errorEntryOf } from '../errors.ts';
import { escapeControls } from '../io/control-characters.ts';

/** A value that was asked for. */
interface Answer {
  /** Its path in the request, as errors of the server name it: `userMobile.areaCode`. */
  readonly field: string;
}

interface Dialog<Asked extends Answer> {
  readonly answers: readonly Asked[];
  /** The caller finds what exists in place of what is taken. */
  readonly acceptsTaken?: boolean | undefined;
  /** Asks for other values. */
  askAgain(rejected: readonly Asked[]): Promise<void>;
}

/** Sends what a dialog asked for, until the server rejects no answer. */
export async function sendUntilAccepted<Asked extends Answer, Result>(
  { manifest, io }: Pick<Context, 'manifest' | 'io'>,
  { answers, acceptsTaken = false, askAgain }: Dialog<Asked>,
  send: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const rejected = findRejected(manifest, error, answers);
      if (rejected.length === 0 || (acceptsTaken && categoryOf(manifest, error) === 'taken')) throw error;
      io.stderr.write(`${escapeControls((error as Error).message)}\n`);
      await askAgain(rejected);
    }
  }
}

/** Another value can be accepted. */
const correctable: readonly ErrorCategory[] = ['field', 'value', 'taken', 'unknown-reference', 'not-found'];

/**
 * The answers that an error is about: those that it or the table of errors names, or else the only one. Empty if other values
 * do not help.
 */
function findRejected<Asked extends Answer>(
  table: ErrorTable,
  error: unknown,
  answers: readonly Asked[],
): readonly Asked[] {
  const category = categoryOf(table, error);
  if (!(error instanceof ClientError) || category === undefined || !correctable.includes(category)) return [];
  const named = error.items.flatMap(({ details }) => [details?.field ?? [], details?.fields ?? []].flat());
  const paths = named.map((field) => field.replace(/\[\d+\]/g, '').replace(/^\./, ''));
  const declared = error.items.flatMap(({ code }) => errorEntryOf(table, code)?.fields ?? []);
  const about = answers.filter(({ field }) => paths.some((path) => path === field || path.startsWith(`${field}.`)));
  if (about.length > 0 || named.length > 0) return about;
  // An object that the error does not name can be one of the arguments.
  if (category === 'not-found') return [];
  const first = declared.find((name) => answers.some((answer) => hasName(answer, name)));
  if (declared.length > 0) return answers.filter((answer) => first !== undefined && hasName(answer, first));
  return answers.length === 1 ? answers : [];
}

function hasName({ field }: Answer, name: string): boolean {
  return field.split('.').includes(name);
}

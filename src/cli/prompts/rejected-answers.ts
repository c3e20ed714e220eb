/** Asks again for the values of a dialog that the server rejects, so that the others need not be typed again. */
import { ClientError } from '../../client/errors.ts';
import type { ErrorCategory } from '../../contract/error-codes.ts';
import type { ErrorTable } from '../errors.ts';
import { categoryOf } from '../errors.ts';
import type { PromptedField } from './missing-fields.ts';

/** Another value can be accepted. */
const correctable: readonly ErrorCategory[] = ['field', 'value', 'taken', 'unknown-reference'];

/** The answers that an error is about: those that it names, or else the only one. Empty if other values do not help. */
export function findRejected(
  table: ErrorTable,
  error: unknown,
  prompted: readonly PromptedField[],
): readonly PromptedField[] {
  const category = categoryOf(table, error);
  if (!(error instanceof ClientError) || category === undefined || !correctable.includes(category)) return [];
  const named = error.items.flatMap(({ details }) => [details?.field ?? [], details?.fields ?? []].flat());
  const paths = named.map((field) => field.replace(/\[\d+\]/g, '').replace(/^\./, ''));
  const about = prompted.filter(({ field }) => paths.some((path) => path === field || path.startsWith(`${field}.`)));
  if (about.length > 0 || named.length > 0) return about;
  const defining = prompted.filter(({ value }) => value.schema['x-defines'] !== undefined);
  if (category === 'taken' && defining.length > 0) return defining;
  return prompted.length === 1 ? prompted : [];
}

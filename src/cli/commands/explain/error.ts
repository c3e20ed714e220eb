/** Explains error codes: status, meaning, hint, and the operations that return them. */
import type { ErrorCategory } from '../../../contract/error-codes.ts';
import type { Manifest } from '../../../contract/manifest-types.ts';
import { operationReference } from '../../../contract/operation-reference.ts';
import { errorEntryOf } from '../../errors.ts';
import { getExitCode } from '../../exit-codes.ts';
import { formatItems, formatSection } from './text.ts';

export interface ErrorExplanation {
  readonly kind: 'error';
  readonly code: string;
  readonly status: number;
  readonly category: ErrorCategory;
  /** Exit code of `iam`. */
  readonly exitCode: number;
  readonly message: string;
  readonly hint: string;
  readonly setting?: string;
  /** The operations that document it, with the status that they return it with. */
  readonly operations: readonly { readonly operation: string; readonly status: number }[];
  readonly everyOperation: boolean;
}

/** Explains an error code; undefined for other names. */
export function explainError(manifest: Manifest, name: string): ErrorExplanation | undefined {
  const entry = errorEntryOf(manifest, name.toUpperCase());
  if (!entry) return undefined;
  const { code, status, category, message, hint, setting } = entry;
  const operations = Object.entries(operationReference).flatMap(([operation, { errors }]) =>
    Object.entries(errors).flatMap(([at, codes]) => (codes.includes(code) ? [{ operation, status: Number(at) }] : [])),
  );
  return {
    ...{ kind: 'error', code, status, category, exitCode: getExitCode(status, entry), message, hint },
    ...(setting === undefined ? {} : { setting }),
    operations,
    everyOperation: operations.length === manifest.operations.length,
  };
}

/** Formats an explanation; operations by the status that they return the code with. */
export function formatError(explanation: ErrorExplanation, width: number): string[] {
  const { code, status, category, exitCode, message, hint, setting, operations, everyOperation } = explanation;
  const facts = [
    ['Code', code],
    ['Status', String(status)],
    ['Category', category],
    ['Exit code', String(exitCode)],
    ['Message', message],
    ['Hint', hint],
    ...(setting === undefined ? [] : [['Setting', `--${setting} of iam serve`] as const]),
  ] as const;
  const statuses = [...new Set(operations.map((one) => one.status))].sort((a, b) => a - b);
  const rows = statuses.map((at) => {
    const ids = operations.filter((one) => one.status === at).map(({ operation }) => operation);
    return [String(at), everyOperation && statuses.length === 1 ? 'every operation' : ids.join(', ')] as const;
  });
  const none = operations.length === 0 ? ['', 'No operation documents it: HTTP or the control plane returns it.'] : [];
  return [
    ...formatItems(facts, width, ''),
    ...formatSection('Operations that return it, by status:', rows, width),
    ...none,
  ];
}

/** docs/errors.md: every error code with its meaning, what to do about it, and where it comes from. */
import { ErrorDetailsSchema } from '../../src/contract/error-body.ts';
import { type ErrorCode, errorTable, implicitStatuses } from '../../src/contract/errors.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { listOperationErrors } from '../../src/contract/operation-errors.ts';
import { guardCodes } from '../../src/server/control/guard.ts';
import { controlRoutes } from '../../src/server/control/routes.ts';
import { code, page, table } from './markdown.ts';

type Operations = Readonly<Record<string, Operation<never>>>;

/** Where a code is answered by more operations than this, naming them says nothing. */
const maxNamedOperations = 6;

/** The page for these operations. */
export function errorsPage(operations: Operations): string {
  const codes = Object.keys(errorTable) as ErrorCode[];
  return page(
    'Error codes',
    'Every failure is a non-empty JSON array of `{"code", "message", "details"}`. Codes, categories and details are stable and are for programs. ' +
      'Messages are for people: they may say more than the words given here, and may change. ' +
      'An operation that does not document the status of a code answers with the next best one it does: see docs/openapi.json.',
    '## Codes',
    table(
      ['Code', 'Status', 'Category', 'Meaning', 'What to do', 'Operations'],
      codes.map((errorCode) => row(errorCode, operations)),
    ),
    '## Details',
    'What a message says, as data. `details` is absent where there is none, and so is each of its fields. Errors in the format of RFC 6749, 5.2, have no details.',
    table(
      ['Field', 'Meaning'],
      Object.entries(ErrorDetailsSchema.shape).map(([name, schema]) => [code(name), schema.description ?? '']),
    ),
  );
}

function row(errorCode: ErrorCode, operations: Operations): string[] {
  const { status, category, message, hint } = errorTable[errorCode];
  const users = Object.values(operations).filter((operation) => listOperationErrors(operation).has(errorCode));
  return [
    code(errorCode),
    String(status),
    category,
    message,
    hint,
    placesOf(errorCode, users, Object.keys(operations).length),
  ];
}

function placesOf(errorCode: ErrorCode, users: readonly Operation<never>[], total: number): string {
  if (users.length === 0) return isOfControl(errorCode) ? 'the control plane' : 'any call (HTTP)';
  if (users.length === total) return 'all';
  return users.length > maxNamedOperations ? `${users.length} operations` : users.map(({ id }) => code(id)).join(', ');
}

function isOfControl(errorCode: ErrorCode): boolean {
  return (
    (guardCodes.includes(errorCode) && !implicitStatuses.includes(errorTable[errorCode].status)) ||
    controlRoutes.some(({ errors }) => errors.includes(errorCode))
  );
}

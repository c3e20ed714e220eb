/** Generates docs/reference/errors.md: every error code with its message, hint, and the operations that return it. */
import { ErrorDetailsSchema } from '../../src/contract/error-body.ts';
import { errorTable } from '../../src/contract/error-codes.ts';
import { type ErrorCode, implicitStatuses } from '../../src/contract/errors.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { listOperationErrors } from '../../src/contract/operation-errors.ts';
import { guardCodes } from '../../src/server/control/guard.ts';
import { controlRoutes } from '../../src/server/control/routes/index.ts';
import { code, page, table } from './markdown.ts';

type Operations = Readonly<Record<string, Operation<never>>>;

/** If more operations return a code, the page only counts them. */
const maxNamedOperations = 6;

/** Renders the page for these operations. */
export function errorsPage(operations: Operations): string {
  const codes = Object.keys(errorTable) as ErrorCode[];
  return page(
    'Error codes',
    'Every error response is a non-empty JSON array of `{"code", "message", "details"}`. Codes, categories and details are stable and are for programs. ' +
      'Messages are for people: they may be more specific than the messages listed here, and may change. ' +
      'An operation that does not document the status of a code returns the closest status that it documents: see docs/openapi.json.',
    '## Codes',
    table(
      ['Code', 'Status', 'Category', 'Message', 'Hint', 'Operations'],
      codes.map((errorCode) => row(errorCode, operations)),
    ),
    '## Details',
    'The data of a message. `details` and each of its fields are absent if they do not apply. Errors in the format of RFC 6749, 5.2, have no details.',
    table(
      ['Field', 'Description'],
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
    describeUsers(errorCode, users, Object.keys(operations).length),
  ];
}

function describeUsers(errorCode: ErrorCode, users: readonly Operation<never>[], total: number): string {
  if (users.length === 0) return isOfControl(errorCode) ? 'the control plane' : 'any request (HTTP)';
  if (users.length === total) return 'all';
  return users.length > maxNamedOperations ? `${users.length} operations` : users.map(({ id }) => code(id)).join(', ');
}

function isOfControl(errorCode: ErrorCode): boolean {
  return (
    (guardCodes.includes(errorCode) && !implicitStatuses.includes(errorTable[errorCode].status)) ||
    controlRoutes.some(({ errors }) => errors.includes(errorCode))
  );
}

/** The error codes of an operation: those of its handler and those of the request pipeline. */
import { bodyErrors, type ErrorCode, resolveErrorStatus } from './errors.ts';
import { hasGrowthLimit } from './growth-limit.ts';
import type { Operation } from './operation.ts';

export function listPipelineErrors(operation: Operation<never>): ErrorCode[] {
  const { auth, request, roles, statuses } = operation;
  const codes: ErrorCode[] = ['INTERNAL'];
  if (auth !== 'none')
    codes.push('CREDENTIALS_MISSING', 'CREDENTIALS_INVALID', 'TOKEN_INVALID', 'CREDENTIALS_AMBIGUOUS');
  if (roles.kind !== 'public') codes.push('ROLE_MISSING');
  if (operation.needsWholeToken) codes.push('TOKEN_NARROWED');
  if (hasGrowthLimit(operation)) codes.push('GROWTH_LIMIT');
  if (request.params) codes.push('PATH_VALUE');
  if (request.query && statuses.includes(400)) codes.push('FIELD_TYPE', 'FIELD_VALUE', 'QUERY_REPEATED');
  if (request.form) codes.push('QUERY_REPEATED');
  if (request.strictQuery) codes.push('FIELD_UNKNOWN');
  if (request.headers && statuses.includes(400)) codes.push('FIELD_MISSING', 'FIELD_VALUE');
  if (request.body && request.malformedBody) codes.push(request.malformedBody);
  else if (request.body) codes.push(...bodyErrors);
  if ('page' in operation.response && statuses.includes(400)) codes.push('CURSOR_INVALID');
  return [...new Set(codes)];
}

/** Maps every code that an operation can return to its status. */
export function listOperationErrors(operation: Operation<never>): Map<ErrorCode, number> {
  const codes = [...listPipelineErrors(operation), ...operation.errors];
  return new Map(codes.map((code) => [code, resolveErrorStatus(code, operation.statuses)]));
}

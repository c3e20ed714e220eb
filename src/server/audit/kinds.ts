/** Which calls the audit log tells of, and whether they are about who somebody is or about what he changes. */
import { type ErrorCode, type ErrorItem, errorTable } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { namesIn } from '../insight/redact.ts';

export type AuditKind = 'authentication' | 'administration';

/** What a handler answers where a proof of somebody's identity is not good, or was tried or asked for too often. */
const proofErrors: readonly ErrorCode[] = [
  ...(['CREDENTIALS_INVALID', 'TOKEN_INVALID', 'PROOF_INVALID', 'PASSWORD_WRONG', 'CODE_INVALID'] as const),
  ...(['CODE_FAILURES', 'TOO_MANY_ATTEMPTS', 'TOO_MANY_CODES'] as const),
];

/** Whether a call of this operation changes something, gives a secret away, or decides who somebody is. */
export function isDecision({ method, response }: Operation<never>): boolean {
  return method !== 'GET' || ('secret' in response && response.secret === true);
}

/** What an operation is about where it is let in. */
export function kindOf(operation: Operation<never>): AuditKind {
  const checksProof = operation.errors.some((code) => proofErrors.includes(code));
  // Where nobody is asked who calls, the proof is in the call itself: of a token that is to be revoked, of a login.
  const takesAnybody = operation.auth === 'none' && isDecision(operation);
  return checksProof || takesAnybody || issuesTokens(operation) ? 'authentication' : 'administration';
}

function issuesTokens({ response }: Operation<never>): boolean {
  if ('header' in response && response.header) return true;
  const names = 'body' in response ? namesIn(response.body) : new Set<string>();
  return names.has('accessToken') || names.has('access_token');
}

/** The status that a failure has by itself, whatever its operation answers it with. */
export function naturalStatus(errors: readonly ErrorItem[]): number | undefined {
  const [first] = errors;
  return first && (errorTable as Readonly<Record<string, { readonly status: number }>>)[first.code]?.status;
}

/** Whether a call was refused for who calls, how often, or what he may do: told of reads as well. */
export function isRefusalOfCaller(errors: readonly ErrorItem[]): boolean {
  return [401, 403, 421, 429].includes(naturalStatus(errors) ?? 0);
}

/** Whether it was refused before anybody knew who calls. */
export function isRefusedCredential(errors: readonly ErrorItem[]): boolean {
  return [401, 429].includes(naturalStatus(errors) ?? 0);
}

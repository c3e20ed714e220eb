/** What the error table declares of each code. */

/**
 * What a code is about. Clients decide by it, never by the spelling of the code:
 *
 * - `request`: the request or its body can't be read, or HTTP itself rejects it.
 * - `field`: a field, a query parameter, a header or a path parameter is wrong.
 * - `credentials`: the credentials of the caller are missing, not valid or ambiguous.
 * - `verification`: a password, a code or an assertion within the request is not valid.
 * - `grant`: the OAuth grant is not valid, not supported or not allowed.
 * - `forbidden`: the caller is known, and lacks the right.
 * - `path`: nothing is served at the path.
 * - `not-found`: the object that the request is for does not exist.
 * - `unknown-reference`: the request refers to another object that does not exist.
 * - `taken`: another object has the name, the id or the value already.
 * - `changed`: the object changed since it was read.
 * - `conflict`: the state does not allow the request.
 * - `value`: a rule rejects a well-formed value.
 * - `limit`: too many attempts or requests.
 * - `server`: the server failed, or does not implement the request.
 * - `unavailable`: the server or a system behind it can't serve the request now.
 */
export type ErrorCategory =
  | 'request'
  | 'field'
  | 'credentials'
  | 'verification'
  | 'grant'
  | 'forbidden'
  | 'path'
  | 'not-found'
  | 'unknown-reference'
  | 'taken'
  | 'changed'
  | 'conflict'
  | 'value'
  | 'limit'
  | 'server'
  | 'unavailable';

export interface ErrorEntry {
  readonly status: number;
  readonly category: ErrorCategory;
  readonly message: string;
  /** What the caller can do about it; shown by the CLI and in docs/errors.md. */
  readonly hint: string;
  /** The name of the server setting that decides about it. */
  readonly setting?: string;
}

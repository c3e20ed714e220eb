/** The type of an entry in the error table. */

/**
 * The category of a code. Clients branch on it, not on the spelling of the code:
 *
 * - `request`: the request is malformed, or HTTP rejects it.
 * - `field`: a field, a query parameter, a header or a path parameter is wrong.
 * - `credentials`: the credentials of the caller are missing, not valid or ambiguous.
 * - `verification`: a password, a code or an assertion within the request is not valid.
 * - `grant`: the OAuth grant is not valid, not supported or not allowed.
 * - `forbidden`: the caller is authenticated but lacks a right.
 * - `path`: the path does not exist.
 * - `not-found`: the target object does not exist.
 * - `unknown-reference`: the request refers to another object that does not exist.
 * - `taken`: another object already has the name, the id or the value.
 * - `changed`: the object has changed since it was read.
 * - `conflict`: the state does not allow the request.
 * - `value`: a rule rejects a well-formed value.
 * - `limit`: too many attempts or requests.
 * - `server`: the server failed, or does not implement the request.
 * - `unavailable`: the server or an external system cannot serve the request now.
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
  /** The name of the server setting that controls it. */
  readonly setting?: string;
}

/** Which errors of a response are about which fields of a form, by their path in the body. */
import { RequestError, type ResponseError } from '../../api/errors.ts';

export interface FieldErrors {
  /** The messages by field, in the order of the response. */
  readonly fields: Readonly<Record<string, string>>;
  /** What no field shows; undefined if nothing is left. */
  readonly rest: unknown;
}

/** @param findField returns the field of the form for a path in the body; undefined if the form has none */
export function splitFieldErrors(error: unknown, findField: (path: string) => string | undefined): FieldErrors {
  if (!(error instanceof RequestError)) return { fields: {}, rest: error };
  const fields: Record<string, string> = {};
  const others: ResponseError[] = [];
  for (const item of error.items) {
    const path = item.details?.field;
    const field = path === undefined ? undefined : findAncestor(path, findField);
    if (field === undefined) others.push(item);
    else fields[field] = fields[field] === undefined ? item.message : `${fields[field]} ${item.message}`;
  }
  return { fields, rest: others.length === 0 ? undefined : new RequestError(error.status, others, error.requestId) };
}

/** The field itself, or the list or object that contains it: `roles` for `roles[0]`. */
function findAncestor(path: string, findField: (path: string) => string | undefined): string | undefined {
  for (let at = path; at !== ''; at = at.replace(/(^|\.|\[)[^.[]*$/, '')) {
    const field = findField(at);
    if (field !== undefined) return field;
  }
  return undefined;
}

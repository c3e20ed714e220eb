/** Which errors of a response are about which fields of a form, by their path in the body. */

interface FieldError {
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly field?: string };
}

export interface FieldErrors<Item> {
  /** The messages by field, in the order of the response: the first of each path, as others follow from it. */
  readonly fields: Readonly<Record<string, string>>;
  /** What no field shows. */
  readonly others: readonly Item[];
}

/**
 * @param findField returns the field of the form for a path in the body; undefined if the form has none
 * @param declaredFields of errors that name no field, by their code
 */
export function splitFieldErrors<Item extends FieldError>(
  items: readonly Item[],
  findField: (path: string) => string | undefined,
  declaredFields: Readonly<Record<string, readonly string[]>> = {},
): FieldErrors<Item> {
  const fields: Record<string, string> = {};
  const others: Item[] = [];
  const seen = new Set<string>();
  for (const item of items) {
    const named = item.details?.field;
    const declared = declaredFields[item.code] ?? [];
    const path = named ?? declared.find((name) => findField(name) !== undefined);
    const field = path === undefined ? undefined : findAncestor(path, findField);
    if (path === undefined || field === undefined) others.push(item);
    else if (!seen.has(path)) {
      fields[field] = fields[field] === undefined ? item.message : `${fields[field]} ${item.message}`;
      seen.add(path);
    }
  }
  return { fields, others };
}

/** The field itself, or the list or object that contains it: `roles` for `roles[0]`. */
function findAncestor(path: string, findField: (path: string) => string | undefined): string | undefined {
  for (let at = path; at !== ''; at = at.replace(/(^|\.|\[)[^.[]*$/, '')) {
    const field = findField(at);
    if (field !== undefined) return field;
  }
  return undefined;
}

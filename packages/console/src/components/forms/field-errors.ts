/** Which errors of a response are about which fields of a form, by their path in the body. */

interface FieldError {
  readonly message: string;
  readonly details?: { readonly field?: string };
}

export interface FieldErrors<Item> {
  /** The messages by field, in the order of the response: the first of each path, as others follow from it. */
  readonly fields: Readonly<Record<string, string>>;
  /** What no field shows. */
  readonly others: readonly Item[];
}

/** @param findField returns the field of the form for a path in the body; undefined if the form has none */
export function splitFieldErrors<Item extends FieldError>(
  items: readonly Item[],
  findField: (path: string) => string | undefined,
): FieldErrors<Item> {
  const fields: Record<string, string> = {};
  const others: Item[] = [];
  const seen = new Set<string>();
  for (const item of items) {
    const path = item.details?.field;
    const field = path === undefined ? undefined : findAncestor(path, findField);
    if (path === undefined || field === undefined) others.push(item);
    else if (!seen.has(path)) {
      const message = path === field ? withoutName(item.message, path) : item.message;
      fields[field] = fields[field] === undefined ? message : `${fields[field]} ${message}`;
      seen.add(path);
    }
  }
  return { fields, others };
}

/** The label of the field says it. */
function withoutName(message: string, name: string): string {
  if (!message.startsWith(`${name} `)) return message;
  const rest = message.slice(name.length + 1);
  return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`;
}

/** The field itself, or the list or object that contains it: `roles` for `roles[0]`. */
function findAncestor(path: string, findField: (path: string) => string | undefined): string | undefined {
  for (let at = path; at !== ''; at = at.replace(/(^|\.|\[)[^.[]*$/, '')) {
    const field = findField(at);
    if (field !== undefined) return field;
  }
  return undefined;
}

/** JSON with the fields of objects in order: equal values have equal texts, wherever they were read from. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortFields(value));
}

function sortFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortFields);
  const fields = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(fields).sort();
  return Object.fromEntries(names.map((name) => [name, sortFields(fields[name])]));
}

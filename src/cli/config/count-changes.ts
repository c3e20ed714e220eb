/** The number of changes in a request: the length of a list body, such as group members, or 1. */
export function countChanges(body: unknown): number {
  return Array.isArray(body) ? body.length : 1;
}

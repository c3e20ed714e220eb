/** How many changes a call makes: a list as a body is so many at once, such as members of a group. */
export function countChanges(body: unknown): number {
  return Array.isArray(body) ? body.length : 1;
}

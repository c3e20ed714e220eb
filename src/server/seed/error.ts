/** A seed that can't be used; every fault with its place. Nothing of it was applied. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}

/** An invalid seed. The message contains each error with its position. Nothing was applied. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}

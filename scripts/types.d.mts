/** Lists the exported declarations of each entry, without comments and without those of the entries before it. */
export function listExports(root: string): {
  readonly client: readonly string[];
  readonly index: readonly string[];
  readonly testcontainers: readonly string[];
};

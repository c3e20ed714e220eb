/** Loads files outside the bundle. A file of its own, which lies where their paths are seen from. */
export function plainRequire(file: string): unknown {
  return require(file);
}

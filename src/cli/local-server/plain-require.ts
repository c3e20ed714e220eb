/** Loads files outside the bundle; paths are relative to this file. */
export function plainRequire(file: string): unknown {
  return require(file);
}

/** The part of the package that the store uses; it has no types of its own. */
declare module 'fs-native-extensions' {
  /** Locks an open file without waiting. @returns false if another open file description holds the lock. */
  export function tryLock(fd: number, options?: { readonly shared?: boolean }): boolean;
}

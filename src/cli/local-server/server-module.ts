/** Loads the code of the server for the few commands that need it. */

/** Paths relative to dist/cli/; these files are not part of the bundle. */
const files = { serve: '../server/main.cjs', offlineStore: '../server/open-offline-store.cjs' };

/** Loads a part of the server: the server itself, or the offline store. */
export async function loadServerModule(part: keyof typeof files): Promise<unknown> {
  const { plainRequire } = await import('./plain-require.ts');
  return plainRequire(files[part]);
}

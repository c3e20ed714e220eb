/** The code of the server, loaded from its own files and by the few commands that need it. */

/** Paths as seen from dist/cli/, where the files of the built command are: they are not bundled with it. */
const files = { serve: '../server/main.cjs', storeTools: '../server/store-tools.cjs' };

/** Loads a part of the server: what serves, or what works on the files of a store that nobody serves. */
export async function loadServerModule(part: keyof typeof files): Promise<unknown> {
  const { plainRequire } = await import('./plain-require.ts');
  return plainRequire(files[part]);
}

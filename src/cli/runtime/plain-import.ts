/** The import of files outside the bundle. A file of its own: code that was compiled beforehand can't import by itself. */
export function plainImport(file: string): Promise<unknown> {
  return import(/* @vite-ignore */ file);
}

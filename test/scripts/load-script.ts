/** Loads a script for a test; scripts are plain JavaScript, so the test declares the types. */
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../scripts');

export async function loadScript<T>(name: string): Promise<T> {
  return (await import(/* @vite-ignore */ pathToFileURL(path.join(folder, name)).href)) as T;
}

export function scriptPath(name: string): string {
  return path.join(folder, name);
}

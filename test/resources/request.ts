/** Requests what test files share, from the process of a test. Vitest's main process starts it. */
import type { Resources } from './server.ts';

/** Waits until the resource is started. @throws Error with the reason if that fails */
export async function requestResource<Name extends keyof Resources>(name: Name): Promise<Resources[Name]> {
  // Modules that import this one are also used outside of tests, where the package can't be loaded.
  const { inject } = await import('vitest');
  const response = await fetch(`${inject('resourcesUrl')}/${name}`);
  const body = await response.text();
  if (!response.ok) throw new Error(`${name}: ${body}`);
  return (JSON.parse(body) as { value: Resources[Name] }).value;
}

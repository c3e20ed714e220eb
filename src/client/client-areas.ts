/** The methods of the client, one per operation: `groups.add-role` becomes `groups.addRole`. */
import type { ManifestOperation } from '../contract/manifest-types.ts';
import type { CallInput } from './types.ts';

type Method = (input?: CallInput) => Promise<unknown>;

export interface ClientArea {
  [name: string]: ClientArea | Method;
}

/** Builds the areas; each method calls `call`. */
export function buildClientAreas(
  operations: readonly ManifestOperation[],
  call: (operation: ManifestOperation, input?: CallInput) => Promise<unknown>,
): ClientArea {
  const root: ClientArea = {};
  for (const operation of operations) {
    const words = operation.id.split('.').map(toCamelCase);
    const area = words.slice(0, -1).reduce(childArea, root);
    const name = words.at(-1) ?? operation.id;
    area[name] = Object.assign((input?: CallInput) => call(operation, input), area[name]);
  }
  return root;
}

function childArea(area: ClientArea, word: string): ClientArea {
  const below = area[word] ?? {};
  area[word] = below;
  return below as ClientArea;
}

function toCamelCase(word: string): string {
  return word.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

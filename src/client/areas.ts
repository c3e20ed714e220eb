/** The methods of the client, one for each operation: `groups.add-role` stands at `groups.addRole`. */
import type { ManifestOperation } from '../contract/manifest-types.ts';
import type { CallInput } from './types.ts';

type Method = (input?: CallInput) => Promise<unknown>;

export interface Area {
  [name: string]: Area | Method;
}

/** Builds the areas; `call` is what each method does. */
export function areas(
  operations: readonly ManifestOperation[],
  call: (operation: ManifestOperation, input?: CallInput) => Promise<unknown>,
): Area {
  const root: Area = {};
  for (const operation of operations) {
    const words = operation.id.split('.').map(camel);
    const area = words.slice(0, -1).reduce(areaBelow, root);
    const name = words.at(-1) ?? operation.id;
    area[name] = Object.assign((input?: CallInput) => call(operation, input), area[name]);
  }
  return root;
}

function areaBelow(area: Area, word: string): Area {
  const below = area[word] ?? {};
  area[word] = below;
  return below as Area;
}

function camel(word: string): string {
  return word.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

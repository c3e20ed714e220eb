/** Adds the places in a file to the errors of a request that sends its content. */
import type { ClientErrorItem } from '../../client/errors.ts';
import { ControlPlaneError } from '../errors.ts';
import type { ObjectText } from '../io/input.ts';
import { splitField } from './rejected-values.ts';

/**
 * @param at the path of the content in the body
 * @throws what `send` throws; errors about fields of the content begin with `FILE:LINE:COLUMN: `
 */
export async function withPlaces<Result>(
  { text, name }: ObjectText,
  at: readonly string[],
  send: () => Promise<Result>,
): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ControlPlaneError)) throw error;
    const { findYamlOffset, parseSingleYaml } = await import('../../lib/yaml-text.ts');
    const { document, placeAt } = parseSingleYaml(text);
    const addPlace = (item: ClientErrorItem): ClientErrorItem => {
      const path = splitField(item.details?.field ?? '');
      const isOfText = path.length > at.length && at.every((part, index) => part === path[index]);
      if (!document || !isOfText) return item;
      const { line, column } = placeAt(findYamlOffset(document, path.slice(at.length)));
      return { ...item, message: `${name}:${line}:${column}: ${item.message}` };
    };
    const { status, requestId, retryAfter, items } = error;
    throw new ControlPlaneError({ status, requestId, retryAfter, items: items.map(addPlace) });
  }
}

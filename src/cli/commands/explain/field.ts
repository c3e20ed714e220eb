/** Explains fields: where they occur, with type and limits. */
import type { Manifest, ManifestOperation } from '../../../contract/manifest-types.ts';
import { toKebabCase } from '../../request/field-options.ts';
import { commandOfOperation, findOperations } from '../../request/operation-names.ts';
import { type FieldExplanation, formatFieldText, listRequestFields, listResponseFields } from './fields.ts';
import { formatItems, formatParagraph } from './text.ts';

export interface FieldOccurrence extends FieldExplanation {
  readonly operation: string;
}

export interface FieldReport {
  readonly kind: 'field';
  readonly name: string;
  readonly occurrences: readonly FieldOccurrence[];
}

/** Lists every field of every operation. */
export function listOccurrences({ operations }: Pick<Manifest, 'operations'>): FieldOccurrence[] {
  return operations.flatMap((operation) =>
    [...listRequestFields(operation), ...listResponseFields(operation)].map((field) => ({
      operation: operation.id,
      ...field,
    })),
  );
}

/** Finds the fields that a name means: `groups.create.roles`, `users.userName` or `roles`. */
export function explainField(manifest: Manifest, name: string): FieldReport | undefined {
  const words = name.split(/[\s.]+/).filter((word) => word !== '');
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const among = at === 0 ? manifest.operations : findAmong(manifest, words.slice(0, at));
    const path = normalize(words.slice(at).join('.'));
    const occurrences = listOccurrences({ operations: among }).filter((field) => isAt(field, path));
    if (occurrences.length > 0) return { kind: 'field', name: words.slice(at).join('.'), occurrences };
  }
  return undefined;
}

/** The operations that words mean: one, or those of a resource. */
function findAmong(manifest: Manifest, words: readonly string[]): readonly ManifestOperation[] {
  const found = findOperations(manifest, words.join('.'));
  return found.length > 0 ? found : listOperationsBelow(manifest, words);
}

/** The operations whose id or command starts with these words: `groups`, `groups users`. */
export function listOperationsBelow({ operations }: Manifest, words: readonly string[]): ManifestOperation[] {
  const prefix = `${words.join('.')}.`;
  return operations.filter((operation) => {
    const command = commandOfOperation(operation)?.replaceAll(' ', '.') ?? '';
    return operation.id.startsWith(prefix) || command.startsWith(prefix);
  });
}

function isAt({ name }: FieldOccurrence, path: string): boolean {
  const own = normalize(name);
  return own === path || own.endsWith(`.${path}`);
}

function normalize(name: string): string {
  return name.replaceAll('[]', '').split('.').map(toKebabCase).join('.');
}

/** Formats occurrences: operations with the same description of the field together. */
export function formatField({ name, occurrences }: FieldReport, width: number): string[] {
  const groups = new Map<string, FieldOccurrence[]>();
  for (const one of occurrences) {
    const text = formatFieldText({ ...one, required: false });
    groups.set(text, [...(groups.get(text) ?? []), one]);
  }
  const lines = [...groups].flatMap(([text, among]) => [
    '',
    ...formatParagraph(text, width),
    ...formatItems(listPlaces(among), width),
  ]);
  return [name, ...lines];
}

function listPlaces(occurrences: readonly FieldOccurrence[]): (readonly [string, string])[] {
  const places = new Map<string, string[]>();
  for (const { in: location, name, required, operation } of occurrences) {
    const place = [`${location}: ${name}`, ...(required && location !== 'response' ? ['required'] : [])].join(', ');
    places.set(place, [...(places.get(place) ?? []), operation]);
  }
  return [...places].map(([place, ids]) => [place, ids.join(', ')]);
}

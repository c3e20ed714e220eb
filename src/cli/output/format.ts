/** The output formats, and the identifier of an entity for `-o name`. Pure. */
import { type EntityDeclaration, type EntityName, entities, identifyingProperties } from '../../contract/entities.ts';
import { escapeHidden } from '../io/control-characters.ts';
import { formatCell } from './table.ts';
import { toTypedId, toTypedName } from './value-prefix.ts';

export const formats = ['table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'name'] as const;
export type Format = (typeof formats)[number];

/** The entity whose id a property contains. */
const entityById = new Map(
  Object.entries<EntityDeclaration>(entities).map(([name, { properties }]) => [properties.id, name as EntityName]),
);

/** Returns the argument that other commands accept for it: the name if it is groupName or the first field, else the id. */
export function entityName(value: unknown): string {
  if (typeof value === 'string') return escapeHidden(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return formatCell(value);
  const names = Object.keys(value);
  const best =
    names.find((name, at) => name === 'groupName' || (name === 'name' && at === 0)) ??
    names.find((name) => identifyingProperties.has(name)) ??
    names[0];
  if (best === undefined) return '';
  const found = (value as Readonly<Record<string, unknown>>)[best];
  const text = typeof found === 'string' ? escapeHidden(found) : formatCell(found);
  const entity = entityById.get(best);
  if (best === entities.group.properties.name) return toTypedName('group', text);
  return entity === undefined ? text : toTypedId(entity, text);
}

/** The output formats, and the identifier of an entity for `-o name`. Pure. */
import { identifyingProperties } from '../../contract/entities.ts';
import { escapeHidden } from '../io/control-characters.ts';
import { formatCell } from './table.ts';

export const formats = ['table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'name'] as const;
export type Format = (typeof formats)[number];

/** Returns the argument that other commands accept for it: the name if it is groupName or the first field, else the id. */
export function entityName(value: unknown): string {
  if (typeof value === 'string') return escapeHidden(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return formatCell(value);
  const names = Object.keys(value);
  const best =
    names.find((name, at) => name === 'groupName' || (name === 'name' && at === 0)) ??
    names.find((name) => identifyingProperties.has(name)) ??
    names[0];
  const name = best === undefined ? undefined : (value as Readonly<Record<string, unknown>>)[best];
  return typeof name === 'string' ? escapeHidden(name) : formatCell(name);
}

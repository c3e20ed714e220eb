/** Converts rows of a list to candidates. Pure. */

import { type EntityName, idPropertyOf } from '../../contract/entities.ts';
import { findTypedName } from '../output/name-lookups.ts';
import { formatCell, type TableRow } from '../output/table.ts';
import { textsAt } from '../prompts/value-sources.ts';
import type { Candidate } from './candidate.ts';

/** The property of a reduced row with its name; no path has a space. */
export const typedName = 'typed name';

const longestText = 256;
const mostTexts = 100;

/** Reduces a row to the texts at these paths, for the cache, and to the name under which commands find it. */
export function reduceRow(row: unknown, paths: readonly string[], entity: EntityName): TableRow {
  if (typeof row !== 'object' || row === null) return {};
  const fields = row as TableRow;
  const name = findTypedName(entity, fields);
  const id = idPropertyOf(entity);
  // The id of a customer is a number.
  const ofTexts = typeof fields[id] === 'number' ? { ...fields, [id]: String(fields[id]) } : fields;
  const entries = paths.map(
    (path) => [path, textsAt(ofTexts, path).filter((text) => text.length <= longestText)] as const,
  );
  const kept = entries.filter(([, texts]) => texts.length > 0 && texts.length <= mostTexts);
  return {
    ...Object.fromEntries(kept),
    ...(name === undefined || name.length > longestText ? {} : { [typedName]: name }),
  };
}

/** The values at a path of a reduced row, described by the first other property with a value. */
export function listPropertyCandidates(row: TableRow, path: string, describedBy: readonly string[]): Candidate[] {
  const values = (row[path] ?? []) as readonly string[];
  const best = describedBy.find((other) => other !== path && row[other] !== undefined);
  const text = values.length > 1 || best === undefined ? '' : formatCell(row[best]);
  return values.map((value) => ({ value, text }));
}

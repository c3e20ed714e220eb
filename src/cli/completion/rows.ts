/** Converts rows of a list to candidates. Pure. */
import { formatCell, type TableRow } from '../output/table.ts';
import { textsAt } from '../prompts/value-sources.ts';
import type { Candidate } from './candidate.ts';

const longestText = 256;
const mostTexts = 100;

/** Reduces a row to the texts at these paths, for the cache. */
export function reduceRow(row: unknown, paths: readonly string[]): TableRow {
  if (typeof row !== 'object' || row === null) return {};
  const entries = paths.map((path) => [path, textsAt(row, path).filter((text) => text.length <= longestText)] as const);
  return Object.fromEntries(entries.filter(([, texts]) => texts.length > 0 && texts.length <= mostTexts));
}

/** The values at a path of a reduced row, described by the first other property with a value. */
export function listPropertyCandidates(row: TableRow, path: string, describedBy: readonly string[]): Candidate[] {
  const values = (row[path] ?? []) as readonly string[];
  const best = describedBy.find((other) => other !== path && row[other] !== undefined);
  const text = values.length > 1 || best === undefined ? '' : formatCell(row[best]);
  return values.map((value) => ({ value, text }));
}

/** The baseline: a file of accepted differences. */
import { writeFile } from 'node:fs/promises';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { findNearest } from '../../lib/nearest-name.ts';
import { usageError } from '../errors.ts';
import { unwritableFileError } from '../io/file-errors.ts';
import { readDocument } from '../io/input.ts';
import type { Io } from '../io/io.ts';
import { baselineSchema } from './baseline-schema.ts';
import type { ResponseDifference } from './compare.ts';
import { listSchemaProblems } from './schema-check.ts';

/** Accepts the differences that have all its values. */
export interface BaselineEntry extends Partial<ResponseDifference> {
  readonly operation?: string;
  readonly case?: string;
  /** Why it is accepted. */
  readonly reason?: string;
}

/** A difference and where it was found. */
export interface FoundDifference extends ResponseDifference {
  readonly operation: string;
  readonly case: string;
}

const compared = ['operation', 'case', 'aspect', 'name', 'expected', 'seen'] as const;

export function acceptsDifference(entry: BaselineEntry, difference: FoundDifference): boolean {
  return compared.every((name) => entry[name] === undefined || entry[name] === difference[name]);
}

/**
 * Reads a baseline.
 * @param operations the ids of all operations
 * @throws CliError (exit 2) if it is not valid
 */
export async function readBaseline(
  file: string,
  operations: readonly string[],
  io: Io,
): Promise<readonly BaselineEntry[]> {
  const document = await readDocument(file, io);
  const schema: JsonSchema = baselineSchema;
  const [problem] = listSchemaProblems(schema, document);
  if (problem)
    throw usageError(
      `${file} is not a baseline: ${problem.name} must be ${problem.expected}, not ${problem.seen}.`,
      'See `iam schema conformance-baseline`.',
    );
  const { differences } = document as { readonly differences: readonly BaselineEntry[] };
  const tooWide = differences.findIndex(({ operation, aspect }) => operation === undefined && aspect === undefined);
  if (tooWide >= 0) throw usageError(`${file}: differences[${tooWide}] needs an operation or an aspect.`);
  assertKnownOperations(file, differences, operations);
  return differences;
}

/** An entry with a misspelled operation would accept nothing. */
function assertKnownOperations(
  file: string,
  differences: readonly BaselineEntry[],
  operations: readonly string[],
): void {
  for (const [at, { operation }] of differences.entries()) {
    if (operation === undefined || operations.includes(operation)) continue;
    const nearest = findNearest(operation, operations);
    const hint = nearest === undefined ? 'List them with `iam commands`.' : `Did you mean ${nearest}?`;
    throw usageError(`${file}: differences[${at}]: there is no operation ${operation}.`, hint);
  }
}

/** Writes a baseline as JSON or YAML, by the name of the file. */
export async function writeBaseline(file: string, entries: readonly BaselineEntry[]): Promise<void> {
  const document = { $schema: baselineSchema.$id, differences: entries };
  const { formatYaml } = await import('../io/yaml.ts');
  const text = /\.ya?ml$/i.test(file) ? formatYaml(document) : `${JSON.stringify(document, undefined, 2)}\n`;
  await writeFile(file, text).catch((error) => {
    throw unwritableFileError(file, error);
  });
}

/** Returns the entries of a new baseline: those that still apply or were not checked, and the differences that none accepts. */
export function updateBaseline(
  entries: readonly BaselineEntry[],
  stale: readonly BaselineEntry[],
  differences: readonly { readonly accepted: boolean; readonly baseline: BaselineEntry }[],
): BaselineEntry[] {
  const added = differences.filter(({ accepted }) => !accepted);
  return [...entries.filter((entry) => !stale.includes(entry)), ...added.map(({ baseline }) => baseline)];
}

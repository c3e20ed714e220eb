/** Parses a seed document (YAML or JSON). Errors contain line and column. */
import { formatPath } from '../../contract/errors.ts';
import { isMeantAsJson, JsonError, parseJson } from '../../lib/json-text.ts';
import { findYamlOffset, parseSingleYaml, tooManyAliases, toPlainValue } from '../../lib/yaml-text.ts';
import { SeedError } from './error.ts';
import { type SeedIssue, toSeedIssues } from './issues.ts';
import { SeedDocument } from './schema.ts';

/** Parses and validates a seed. @throws SeedError with file, line and column of each error. */
export async function parseSeed(text: string, file: string): Promise<SeedDocument> {
  const plain = parsePlainJson(text, file);
  if (plain !== undefined) {
    // The YAML parser, which reports positions, is slower than the rest of a start.
    const { success, data } = await SeedDocument.safeParseAsync(plain);
    if (success) return data;
  }
  const { document, problems, placeAt } = parseSingleYaml(text);
  if (problems.length > 0)
    throw new SeedError(problems.map(({ line, column, reason }) => `${file}:${line}:${column}: ${reason}`).join('\n'));
  const plainValue = document ? toPlainValue(document) : { value: undefined };
  if (!plainValue) throw new SeedError(`${file}: ${tooManyAliases}`);
  const result = await SeedDocument.safeParseAsync(plainValue.value ?? {}, { reportInput: true });
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, maxErrors).flatMap(toSeedIssues);
  throw new SeedError(formatIssues(issues, file, { document, placeAt }));
}

/** The problems of a seed that could not be applied, with their places in its text. */
export function locateIssues(issues: readonly SeedIssue[], text: string, file: string): string {
  return formatIssues(issues, file, parseSingleYaml(text));
}

function formatIssues(
  issues: readonly SeedIssue[],
  file: string,
  { document, placeAt }: Pick<ReturnType<typeof parseSingleYaml>, 'document' | 'placeAt'>,
): string {
  return issues
    .slice(0, maxErrors)
    .map(({ path, message }) => {
      const { line, column } = placeAt(document ? findYamlOffset(document, path) : 0);
      return `${file}:${line}:${column}: ${formatPath(path) || 'the document'}: ${message}`;
    })
    .join('\n');
}

/** Maximum number of reported errors, as locating each one takes time. */
const maxErrors = 100;

/** Parses JSON; undefined for YAML. @throws SeedError */
function parsePlainJson(text: string, file: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column, problem } = error;
    if (problem.kind === 'syntax' && !isMeantAsJson(file, text)) return undefined;
    throw new SeedError(`${file}:${line}:${column}: ${problem.reason}`);
  }
}

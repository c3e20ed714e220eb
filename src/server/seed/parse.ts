/** Parses a seed document (YAML or JSON). Errors contain line and column. */
import { type Document, isMap, isNode, isPair, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { formatPath } from '../../contract/errors.ts';
import { isMeantAsJson, JsonError, parseJson } from '../../lib/json-text.ts';
import { SeedError } from './error.ts';
import { toSeedIssues } from './issues.ts';
import { SeedDocument } from './schema.ts';

/** Parses and validates a seed. @throws SeedError with file, line and column of each error. */
export async function parseSeed(text: string, file: string): Promise<SeedDocument> {
  const plain = parsePlainJson(text, file);
  if (plain !== undefined) {
    // The YAML parser, which reports positions, is slower than the rest of a start.
    const { success, data } = await SeedDocument.safeParseAsync(plain);
    if (success) return data;
  }
  const lines = new LineCounter();
  // The duplicate check of the library takes quadratic time.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, stringKeys: true });
  const syntaxErrors = document.errors.map(({ pos, message }) => ({ offset: pos[0], message: stripPosition(message) }));
  const errors = [...syntaxErrors, ...(syntaxErrors.length === 0 ? findDuplicateKeys(document) : [])].slice(
    0,
    maxErrors,
  );
  if (errors.length > 0)
    throw new SeedError(
      errors.map(({ offset, message }) => `${formatPosition(file, lines, offset)} ${message}`).join('\n'),
    );
  const result = await SeedDocument.safeParseAsync(toPlainValue(document, file) ?? {}, { reportInput: true });
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, maxErrors).flatMap(toSeedIssues).slice(0, maxErrors);
  const positionOf = (path: readonly PropertyKey[]) => formatPosition(file, lines, findOffset(document, path));
  throw new SeedError(
    issues
      .map(({ path, message }) => `${positionOf(path)} ${formatPath(path) || 'the document'}: ${message}`)
      .join('\n'),
  );
}

/** Maximum number of reported errors, as locating each one takes time. */
const maxErrors = 100;

/** Finds duplicate keys, of which the last would silently win. */
function findDuplicateKeys(document: Document): { readonly offset: number; readonly message: string }[] {
  const found: { offset: number; message: string }[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name)) found.push({ offset: (isNode(key) && key.range?.[0]) || 0, message: duplicateKeyMessage });
        seen.add(name);
      }
    },
  });
  return found;
}

const duplicateKeyMessage = 'Map keys must be unique';

/** Removes the position and source line that the YAML parser adds to its messages. */
function stripPosition(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

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

/** Limits aliases, as nested ones expand exponentially ("billion laughs"). */
function toPlainValue(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new SeedError(`${file}: ${(error as Error).message}`);
  }
}

function formatPosition(file: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${file}:${line}:${col}:`;
}

/** The offset of a value; for a missing value, the offset of its parent. */
function findOffset(document: Document, path: readonly PropertyKey[]): number {
  const parent = document.getIn(path.slice(0, -1), true) as Node | undefined;
  const last = path.at(-1);
  const pair = isMap(parent)
    ? parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === last)
    : undefined;
  const key = pair?.key as Node | undefined;
  const node = key ?? (document.getIn(path, true) as Node | undefined) ?? parent;
  if (node?.range) return node.range[0];
  return path.length > 0 ? findOffset(document, path.slice(0, -1)) : 0;
}

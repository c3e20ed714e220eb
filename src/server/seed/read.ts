/** Reads a seed document, YAML or JSON (which is YAML), and says of every fault in which line it stands. */
import { type Document, isMap, isPair, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import type * as z from 'zod';
import { SeedError } from './error.ts';
import { faultsOf } from './faults.ts';
import { SeedDocument } from './schema.ts';

/** @throws SeedError naming file, line and column of every fault. */
export async function readSeed(text: string, file: string): Promise<SeedDocument> {
  const plain = plainJson(text);
  if (plain !== undefined) {
    // Reading it as YAML, which knows the lines, takes longer than all the rest of a start.
    const { success, data } = await SeedDocument.safeParseAsync(plain);
    if (success) return data;
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  if (document.errors.length > 0) {
    const faults = document.errors.map((error) => `${place(file, lines, error.pos[0])} ${withoutPlace(error.message)}`);
    throw new SeedError(faults.join('\n'));
  }
  const result = await SeedDocument.safeParseAsync(contentOf(document, file) ?? {}, { reportInput: true });
  if (result.success) return result.data;
  const faults = result.error.issues.flatMap((issue) =>
    describe(issue, document, (offset) => place(file, lines, offset)),
  );
  throw new SeedError(faults.join('\n'));
}

/** The reader of YAML says again where it is, and shows the line. */
function withoutPlace(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

/** The value of a text that is JSON and has no key twice, of which JSON would take the last in silence. */
function plainJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // In JSON, a string before a colon is a key, and every other colon stands in a string.
    const written = text.match(/"(?:[^"\\]|\\.)*"\s*:?/g)?.filter((found) => found.endsWith(':')).length ?? 0;
    return written === keysIn(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce((sum: number, one) => sum + keysIn(one), 0);
  return inner + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

/** Aliases of aliases can stand for more than any memory holds. */
function contentOf(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new SeedError(`${file}: ${(error as Error).message}`);
  }
}

function place(file: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${file}:${line}:${col}:`;
}

function describe(issue: z.core.$ZodIssue, document: Document, at: (offset: number) => string): string[] {
  return faultsOf(issue).map(
    ({ path, message }) => `${at(offsetOf(document, path))} ${path.join('.') || 'the document'}: ${message}`,
  );
}

/** Where a value begins; for a value that is not there, where what should hold it begins. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  const parent = document.getIn(path.slice(0, -1), true) as Node | undefined;
  const last = path.at(-1);
  const pair = isMap(parent)
    ? parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === last)
    : undefined;
  const key = pair?.key as Node | undefined;
  const node = key ?? (document.getIn(path, true) as Node | undefined) ?? parent;
  if (node?.range) return node.range[0];
  return path.length > 0 ? offsetOf(document, path.slice(0, -1)) : 0;
}

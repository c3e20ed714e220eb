/**
 * YAML 1.2 without what readers take in different ways: repeated keys, unknown tags, aliases of a value in itself, and
 * numbers that JSON writes otherwise, such as 030, which is a code or 30 or 24. Loaded only by runs that need it; command
 * and server share it. Messages contain no value of the text except such numbers.
 */
import {
  Composer,
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  Parser,
  type Scalar,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { describeRepeated } from './json-text.ts';

/** A problem with its place, from 1. */
export interface YamlProblem {
  readonly reason: string;
  readonly line: number;
  readonly column: number;
}

export interface YamlText {
  /** Without a document for an empty text. */
  readonly documents: readonly Document[];
  /** The first hundred. */
  readonly problems: readonly YamlProblem[];
  /** The place of an offset. */
  placeAt(offset: number): { readonly line: number; readonly column: number };
}

const maxProblems = 100;

interface Finding {
  readonly offset: number;
  readonly reason: string;
}

/**
 * Deeper than any document of the product. Readers of the tokens call themselves for each level; some 800 exhaust the
 * stack of Node, which ends if it compiles a regular expression then.
 */
const maxDepth = 200;

class DepthError extends Error {
  override readonly name = 'DepthError';
  readonly offset: number;

  constructor(offset: number) {
    super(`nested deeper than ${maxDepth} levels`);
    this.offset = offset;
  }
}

/** Stops at a value that is nested too deep. */
class BoundedParser extends Parser {
  /** @throws DepthError */
  override *next(lexeme: string): ReturnType<Parser['next']> {
    yield* super.next(lexeme);
    // One entry is the document, and one the value.
    if (this.stack.length > maxDepth + 2) throw new DepthError(this.offset - lexeme.length);
  }
}

/** Parses the documents of a text. Keys are text; `<<` does not merge. */
export function parseYamlText(text: string): YamlText {
  const lines = new LineCounter();
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const documents: Document[] = [];
  try {
    // The duplicate check of the library takes quadratic time.
    const composer = new Composer({ uniqueKeys: false, stringKeys: true, merge: false, prettyErrors: false });
    documents.push(...composer.compose(new BoundedParser(lines.addNewLine).parse(text)));
  } catch (error) {
    if (!(error instanceof DepthError)) throw error;
    return { documents: [], problems: [{ reason: error.message, ...placeAt(error.offset) }], placeAt };
  }
  const problems = documents
    .flatMap(findProblems)
    .slice(0, maxProblems)
    .map(({ offset, reason }) => ({ reason, ...placeAt(offset) }));
  return { documents, problems, placeAt };
}

/** The one document of a text; undefined for an empty text. Several documents are a problem. */
export function parseSingleYaml(text: string): YamlText & { readonly document: Document | undefined } {
  const found = parseYamlText(text);
  const [document, second] = found.documents;
  if (!second) return { ...found, document };
  const several = {
    reason: 'a second document begins; write each document in a file of its own',
    ...found.placeAt(second.range?.[0] ?? 0),
  };
  return { ...found, document, problems: [...found.problems, several].slice(0, maxProblems) };
}

/** The value of a document without problems. @returns undefined if its aliases stand for too much */
export function toPlainValue(document: Document): { readonly value: unknown } | undefined {
  try {
    // Nested aliases expand exponentially ("billion laughs").
    return { value: document.toJS({ maxAliasCount: 100 }) };
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

/** For documents whose value has too many aliases. */
export const tooManyAliases = 'aliases stand for too many values; write the values';

/** The offset of a value, or of its key; for a missing value, the offset of its parent. */
export function findYamlOffset(document: Document, path: readonly PropertyKey[]): number {
  const parent = document.getIn(path.slice(0, -1), true) as Node | undefined;
  const last = path.at(-1);
  const pair = isMap(parent)
    ? parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === last)
    : undefined;
  const key = pair?.key as Node | undefined;
  const node = key ?? (document.getIn(path, true) as Node | undefined) ?? parent;
  if (node?.range) return node.range[0];
  return path.length > 0 ? findYamlOffset(document, path.slice(0, -1)) : 0;
}

function findProblems(document: Document): Finding[] {
  const found: Finding[] = [...document.errors, ...document.warnings].map(toFinding);
  if (found.length > 0) return found;
  const anchors = new Map<string, unknown>();
  const report = (node: unknown, reason: string | undefined) => {
    if (reason !== undefined) found.push({ offset: (isNode(node) && node.range?.[0]) || 0, reason });
  };
  visit(document, {
    Alias: (_, node, path) => report(node, findAliasProblem(anchors.get(node.source), path)),
    Scalar(_, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      report(node, findScalarProblem(node));
    },
    Collection(_, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      for (const key of isMap(node) ? listRepeatedKeys(node) : []) report(key, describeRepeated(String(key)));
    },
  });
  return found;
}

const reasons: Partial<Record<YAMLError['code'], string>> = {
  TAG_RESOLVE_FAILED: 'this tag is unknown, and no text or number can have it; remove it',
  NON_STRING_KEY: 'keys must be text',
};

function toFinding({ code, message, pos }: YAMLError): Finding {
  return { offset: pos[0], reason: reasons[code] ?? message.replace(/[.:]$/, '') };
}

function findAliasProblem(target: unknown, path: readonly unknown[]): string | undefined {
  if (target === undefined) return 'the anchor of this alias is not defined before it';
  return path.includes(target) ? 'this alias stands for a value that contains it' : undefined;
}

function findScalarProblem({ value, source = '' }: Scalar): string | undefined {
  if (typeof value === 'object' && value !== null) return 'must be text, a number, true, false or null';
  if (typeof value !== 'number' || jsonNumber.test(source)) return undefined;
  const advice = 'put it in quotes if it is text';
  if (/^[-+]?0\d/.test(source)) return `a number cannot keep a leading zero; ${advice}, or write it without the zero`;
  return `a number is written as in JSON, such as 7 or 0.5; ${advice}`;
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Keys of which the last would silently win. */
function listRepeatedKeys({ items }: YAMLMap): unknown[] {
  const seen = new Set<unknown>();
  return items.flatMap(({ key }) => {
    const name = isScalar(key) ? key.value : key;
    if (seen.has(name)) return [key];
    seen.add(name);
    return [];
  });
}

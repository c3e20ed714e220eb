/**
 * JSON without repeated members, of which each reader takes another one, and with the place of an error, which V8 words
 * differently in each version (RFC 8259, 4 and 9). Messages contain no value of the text. Command and server share it.
 */

/** What is wrong with a text, where. */
export interface JsonProblem {
  readonly kind: 'syntax' | 'repeated' | 'prototype' | 'depth';
  /** Such as `expected a colon`. */
  readonly reason: string;
  readonly offset: number;
  /** Names and indexes of the value that contains it, or of the member itself. */
  readonly path: readonly (string | number)[];
}

export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly problem: JsonProblem;
  /** From 1. */
  readonly line: number;
  readonly column: number;

  constructor(problem: JsonProblem, text: string) {
    const { line, column } = findPlace(text, problem.offset);
    super(`line ${line}, column ${column}: ${problem.reason}`);
    this.problem = problem;
    this.line = line;
    this.column = column;
  }
}

/** The line and column of an offset, from 1. */
export function findPlace(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', start)) {
    line += 1;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}

/** Deeper than any document of the product, or the groups of an export. */
const maxDocumentDepth = 1_000;

const maxReported = 100;

/**
 * Parses a document.
 * @param reportRepeated called for the first hundred repeated members, of which the last one counts: for files of others
 * @throws JsonError, also for `__proto__` as a name, nesting of more than 1,000 levels, and by default a repeated member
 */
export function parseJson(text: string, reportRepeated?: (error: JsonError) => void): unknown {
  const { depth, members } = measureJson(text);
  if (depth <= maxDocumentDepth) {
    const value = tryParse(text);
    if (value !== undefined && !isSuspicious(text) && countJsonMembers(value) === members) return value;
  }
  const repeated: JsonProblem[] = [];
  const accept = (found: JsonProblem) => void (repeated.length < maxReported && repeated.push(found));
  const problem = new JsonScanner(text, maxDocumentDepth, reportRepeated && accept).scanTo(text.length);
  if (problem) throw new JsonError(problem, text);
  for (const found of repeated) reportRepeated?.(new JsonError(found, text));
  return JSON.parse(text);
}

/** Whether a document that can be YAML is meant as JSON, so that its errors are those of JSON. */
export function isMeantAsJson(file: string, text: string): boolean {
  return /\.json$/i.test(file) ? text.trim() !== '' : /^\s*[[{]/.test(text) && !/\.ya?ml$/i.test(file);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a text can have a member `__proto__`, which becomes a prototype when its object is copied. */
export function isSuspicious(text: string): boolean {
  // The name can be written with escapes.
  return /__proto__|\\u/.test(text);
}

export interface JsonShape {
  readonly depth: number;
  /** At least the number of values. */
  readonly values: number;
  readonly members: number;
}

/** Measures a JSON text in one pass. Means nothing for other texts. */
export function measureJson(text: string): JsonShape {
  let [depth, deepest, values, members] = [0, 0, 1, 0];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) at = findClosingQuote(text, at + 1);
    else if (character === comma) values += 1;
    else if (character === colon) members += 1;
    else if (character === rightBrace || character === rightBracket) depth -= 1;
    else if (character === leftBrace || character === leftBracket) {
      depth += 1;
      values += 1;
      if (depth > deepest) deepest = depth;
    }
  }
  return { depth: deepest, values, members };
}

/** The offset of the next quote that is not escaped; the length of the text without one. */
function findClosingQuote(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

/** The members of all objects in a value: fewer than its text has if some are repeated. */
export function countJsonMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countJsonMembers(item);
  else for (const name in value) count += 1 + countJsonMembers((value as Record<string, unknown>)[name]);
  return count;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const leftBrace = 0x7b;
const rightBrace = 0x7d;
const leftBracket = 0x5b;
const rightBracket = 0x5d;

/** An object or list that is not closed yet. */
interface Container {
  /** Undefined for a list. */
  readonly names: Set<string> | undefined;
  /** The current member or item. */
  key: string | number;
}

type Expectation = 'value' | 'first-item' | 'name' | 'first-name' | 'colon' | 'end';

const expected: Readonly<Record<Expectation, string>> = {
  value: 'expected a value',
  'first-item': 'expected a value or ]',
  name: 'expected a name in double quotes',
  'first-name': 'expected a name in double quotes or }',
  colon: 'expected a colon',
  end: 'expected the end of the text',
};

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /[^\s,:[\]{}"]+/y;
const literals = ['true', 'false', 'null'];
const escapes = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Finds the first problem of a text by the grammar of RFC 8259. Needs no recursion, and can pause between parts. */
export class JsonScanner {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #acceptRepeated: ((problem: JsonProblem) => void) | undefined;
  readonly #open: Container[] = [];
  #at = 0;
  #expects: Expectation = 'value';
  #problem: JsonProblem | undefined;

  /** @param acceptRepeated called for repeated members, which are no problem then */
  constructor(text: string, maxDepth: number, acceptRepeated?: (problem: JsonProblem) => void) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#acceptRepeated = acceptRepeated;
  }

  /** Scans at least to an offset. @returns the problem before it; at the end of the text also that of its end. */
  scanTo(offset: number): JsonProblem | undefined {
    const end = Math.min(offset, this.#text.length);
    while (this.#problem === undefined && this.#at < end) this.#step(this.#text.charCodeAt(this.#at));
    const isComplete = this.#expects === 'end' && this.#open.length === 0;
    if (this.#at >= this.#text.length && !isComplete) this.#fail(`${this.#describeExpected()}, and the text ends`);
    return this.#problem;
  }

  #step(character: number): void {
    if (character === 0x20 || (character >= 0x09 && character <= 0x0d && character !== 0x0b && character !== 0x0c))
      this.#at += 1;
    else if (this.#expects === 'value' || this.#expects === 'first-item') this.#readValue(character);
    else if (this.#expects === 'name' || this.#expects === 'first-name') this.#readName(character);
    else if (this.#expects === 'end') this.#readEnd(character);
    else if (character === colon) this.#advance(1, 'value');
    else this.#fail(expected.colon);
  }

  #advance(length: number, expects: Expectation): void {
    this.#at += length;
    this.#expects = expects;
  }

  #fail(reason: string, kind: JsonProblem['kind'] = 'syntax', offset = this.#at): void {
    const problem = { kind, reason, offset, path: this.#open.map(({ key }) => key) };
    if (kind === 'repeated' && this.#acceptRepeated) this.#acceptRepeated(problem);
    else this.#problem ??= problem;
  }

  #describeExpected(): string {
    const last = this.#open.at(-1);
    if (this.#expects !== 'end' || !last) return expected[this.#expects];
    return last.names ? 'expected a comma or }' : 'expected a comma or ]';
  }

  #readValue(character: number): void {
    if (character === leftBrace) this.#enter({ names: new Set(), key: '' }, 'first-name');
    else if (character === leftBracket) this.#enter({ names: undefined, key: 0 }, 'first-item');
    else if (character === rightBracket && this.#expects === 'first-item') this.#leave();
    else if (character === quote) this.#readString('end');
    else this.#readWord();
  }

  #enter(container: Container, expects: Expectation): void {
    if (this.#open.length === this.#maxDepth)
      return void this.#fail(`nested deeper than ${this.#maxDepth} levels`, 'depth');
    this.#open.push(container);
    this.#advance(1, expects);
  }

  #leave(): void {
    this.#open.pop();
    this.#advance(1, 'end');
  }

  #readWord(): void {
    word.lastIndex = this.#at;
    const [found = ''] = word.exec(this.#text) ?? [];
    number.lastIndex = this.#at;
    const isNumber = number.exec(this.#text)?.[0] === found;
    if (found !== '' && (isNumber || literals.includes(found))) return void this.#advance(found.length, 'end');
    this.#fail(/^[-+.\d]/.test(found) ? 'not a number of JSON' : expected[this.#expects]);
  }

  /** Moves behind a string. @returns its source with quotes; undefined if it is not valid */
  #readString(expects: Expectation): string | undefined {
    for (let at = this.#at + 1; at < this.#text.length; at += 1) {
      const character = this.#text.charCodeAt(at);
      if (character === quote) {
        const source = this.#text.slice(this.#at, at + 1);
        this.#advance(source.length, expects);
        return source;
      }
      if (character < 0x20)
        return void this.#fail('a line break or control character must be escaped in text', 'syntax', at);
      if (character !== backslash) continue;
      escapes.lastIndex = at;
      if (!escapes.test(this.#text)) return void this.#fail('not an escape of JSON', 'syntax', at);
      at = escapes.lastIndex - 1;
    }
    return void this.#fail('the quote is never closed');
  }

  #readName(character: number): void {
    const object = this.#open.at(-1);
    if (character === rightBrace && this.#expects === 'first-name') return void this.#leave();
    if (character !== quote || !object?.names) return void this.#fail(expected[this.#expects]);
    const start = this.#at;
    const source = this.#readString('colon');
    if (source === undefined) return;
    const name = source.includes('\\') ? (JSON.parse(source) as string) : source.slice(1, -1);
    object.key = name;
    if (name === '__proto__') this.#fail('__proto__ is not allowed as a name', 'prototype', start);
    if (object.names.has(name)) this.#fail(describeRepeated(name), 'repeated', start);
    object.names.add(name);
  }

  #readEnd(character: number): void {
    const last = this.#open.at(-1);
    if (!last) return void this.#fail(expected.end);
    if (character === comma) {
      if (typeof last.key === 'number') last.key += 1;
      return void this.#advance(1, last.names ? 'name' : 'value');
    }
    if (character === (last.names ? rightBrace : rightBracket)) return void this.#leave();
    this.#fail(this.#describeExpected());
  }
}

const maxShownLength = 64;

/** The reason for a repeated member. */
export function describeRepeated(name: string): string {
  const shown = name.length > maxShownLength ? `${name.slice(0, maxShownLength)}..` : name;
  return `${JSON.stringify(shown)} is repeated in its object`;
}

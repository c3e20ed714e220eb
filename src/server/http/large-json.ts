/**
 * Parses a JSON document of many megabytes without blocking the event loop: an object whose lists are two levels deep, as
 * in a store dump. Parses the entries of these lists one by one, and the rest of the document as one part.
 */
import { apiError, IamError } from '../../contract/errors.ts';
import { nextTurn } from '../../lib/host.ts';
import { JsonScanner } from '../../lib/json-text.ts';
import { createJsonError, parseBoundedJson } from './bounded-json.ts';

/** Characters scanned, and characters of entries parsed, per event-loop turn. */
const scanPerTurn = 500_000;
const readPerTurn = 200_000;
/** Fixed cost of an entry, in characters, added to its length. */
const entryCost = 100;
/** Max characters of one entry, and of everything outside the lists. */
const maxPartLength = 1_000_000;
const maxEntries = 1_000_000;

/** @throws IamError BODY_NOT_JSON, BODY_TOO_DEEP, BODY_TOO_COMPLEX, FIELD_REPEATED, FIELD_UNKNOWN. */
export async function parseLargeJson(text: string): Promise<unknown> {
  try {
    return await parseParts(text);
  } catch (error) {
    const isInPart = error instanceof IamError && ['BODY_NOT_JSON', 'FIELD_REPEATED'].includes(error.code);
    throw isInPart ? ((await locateProblem(text)) ?? error) : error;
  }
}

/** The error with its place in the whole document, instead of in a part of it. */
async function locateProblem(text: string): Promise<IamError | undefined> {
  const scanner = new JsonScanner(text, Number.POSITIVE_INFINITY);
  for (let end = 0; end < text.length; ) {
    await nextTurn();
    end += scanPerTurn;
    const problem = scanner.scanTo(end);
    if (problem) return createJsonError(problem, text);
  }
  return undefined;
}

async function parseParts(text: string): Promise<unknown> {
  const { frame, lists } = await splitLists(text);
  const value = parseBoundedJson(frame);
  const parsed: unknown[][] = [];
  let budget = readPerTurn;
  for (const parts of lists) {
    const entries: unknown[] = [];
    for (const part of parts) {
      budget -= part.length + entryCost;
      if (budget < 0) {
        await nextTurn();
        budget = readPerTurn;
      }
      entries.push(parseBoundedJson(part));
    }
    parsed.push(entries);
  }
  return insertLists(value, parsed);
}

interface SplitDocument {
  /** The document, with the index of each list instead of its entries. */
  readonly frame: string;
  /** The text of each entry of each list. */
  readonly lists: readonly (readonly string[])[];
}

async function splitLists(text: string): Promise<SplitDocument> {
  const splitter = new Splitter(text);
  for (let end = 0; end < text.length; ) {
    await nextTurn();
    end += scanPerTurn;
    splitter.scanTo(end);
  }
  return splitter.end();
}

/** A list is the third of three brackets: {"tables": {"users": [. */
const listOpening = '{{[';

/** Splits a document in one pass. The parser of the parts checks that they are JSON. */
class Splitter {
  readonly #text: string;
  readonly #lists: string[][] = [];
  #entries = 0;
  #frame = '';
  /** The outermost three open brackets, and the number of all open brackets. */
  #open = '';
  #depth = 0;
  #quoted = false;
  #at = 0;
  /** Start of the current part. */
  #start = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scanTo(finish: number): void {
    for (; this.#at < finish && this.#at < this.#text.length; this.#at += 1) {
      const character = this.#text.charCodeAt(this.#at);
      if (character === quote) this.#quoted = !this.#quoted;
      else if (this.#quoted) this.#at += character === backslash ? 1 : 0;
      else if (character === comma) this.#endEntry();
      else if (character === leftBrace) this.#enter('{');
      else if (character === leftBracket) this.#enter('[');
      else if (character === rightBrace || character === rightBracket) this.#leave();
    }
  }

  end(): SplitDocument {
    this.#addToFrame(this.#text.slice(this.#start));
    return { frame: this.#frame, lists: this.#lists };
  }

  get #isInList(): boolean {
    return this.#depth === 3 && this.#open === listOpening;
  }

  #enter(bracket: string): void {
    this.#depth += 1;
    if (this.#depth > 3) return;
    this.#open += bracket;
    if (!this.#isInList) return;
    this.#addToFrame(`${this.#text.slice(this.#start, this.#at + 1)}${this.#lists.length}`);
    this.#lists.push([]);
    this.#start = this.#at + 1;
  }

  #leave(): void {
    if (this.#isInList) {
      const isEmpty = this.#lists.at(-1)?.length === 0 && !/\S/.test(this.#text.slice(this.#start, this.#at));
      if (!isEmpty) this.#endEntry();
      this.#start = this.#at;
    }
    this.#depth = Math.max(0, this.#depth - 1);
    this.#open = this.#open.slice(0, this.#depth);
  }

  #endEntry(): void {
    if (!this.#isInList) return;
    this.#entries += 1;
    if (this.#at - this.#start > maxPartLength || this.#entries > maxEntries) throw createTooComplexError();
    this.#lists.at(-1)?.push(this.#text.slice(this.#start, this.#at));
    this.#start = this.#at + 1;
  }

  #addToFrame(more: string): void {
    if (this.#frame.length + more.length > maxPartLength) throw createTooComplexError();
    this.#frame += more;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const leftBrace = 0x7b;
const rightBrace = 0x7d;
const leftBracket = 0x5b;
const rightBracket = 0x5d;

function createTooComplexError() {
  return apiError(
    'BODY_TOO_COMPLEX',
    `The body has more than ${maxEntries} entries, or an entry or the rest of it is longer than ${maxPartLength} characters.`,
  );
}

/** Replaces the list indexes of the frame with the lists. */
function insertLists(value: unknown, lists: readonly unknown[][]): unknown {
  if (!isObject(value)) return value;
  for (const part of Object.values(value)) {
    if (!isObject(part)) continue;
    for (const [name, inner] of Object.entries(part)) if (Array.isArray(inner)) part[name] = lists[inner[0]];
  }
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

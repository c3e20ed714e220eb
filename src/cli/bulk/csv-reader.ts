/** Streaming CSV parser (RFC 4180), one record at a time. Pure. */

export interface CsvRecord {
  /** First line of the record, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Source text, without the final line break. */
  readonly text: string;
  /** Syntax error of an invalid record. */
  readonly problem?: string;
}

type ParserState = 'start' | 'plain' | 'quoted' | 'quote';

const cellEnds: Readonly<Record<string, true>> = { ',': true, '\n': true };

/** Splits chunks of text into records; skips blank lines. */
export class CsvReader {
  #state: ParserState = 'start';
  #cells: string[] = [];
  #cell = '';
  #text = '';
  #line = 1;
  #firstLine = 1;
  #problem: string | undefined;

  /** Number of characters of the incomplete record. */
  get pending(): number {
    return this.#text.length;
  }

  /** Yields the records completed by this chunk. */
  *push(chunk: string): Generator<CsvRecord, void, undefined> {
    for (const char of chunk) {
      const isEnd = char === '\n' && this.#state !== 'quoted';
      if (char === '\n') this.#line += 1;
      if (!isEnd) this.#text += char;
      this.#consume(char);
      if (isEnd) yield* this.#completeRecord();
    }
  }

  /** Yields the last record if the file does not end with a line break. */
  *end(): Generator<CsvRecord, void, undefined> {
    if (this.#state === 'quoted') this.#problem = 'a quote is never closed';
    this.#consume('\n');
    yield* this.#completeRecord();
  }

  #consume(char: string): void {
    if (this.#state === 'quoted') this.#consumeQuoted(char);
    else if (cellEnds[char]) this.#endCell();
    else if (this.#state === 'quote') this.#consumeAfterQuote(char);
    else if (char === '"' && this.#state === 'start') this.#state = 'quoted';
    else {
      this.#state = 'plain';
      this.#cell += char;
    }
  }

  #consumeQuoted(char: string): void {
    if (char === '"') this.#state = 'quote';
    else this.#cell += char;
  }

  /** A doubled quote is an escaped quote; a closing quote must be followed by the end of the cell. */
  #consumeAfterQuote(char: string): void {
    if (char === '"') {
      this.#cell += char;
      this.#state = 'quoted';
    } else if (char !== '\r') this.#problem = 'text follows a closing quote';
  }

  #endCell(): void {
    this.#cells.push(this.#state === 'plain' ? this.#cell.replace(/\r$/, '') : this.#cell);
    this.#cell = '';
    this.#state = 'start';
  }

  *#completeRecord(): Generator<CsvRecord, void, undefined> {
    const text = this.#text.replace(/\r$/, '');
    const record = { line: this.#firstLine, cells: this.#cells, text };
    const problem = this.#problem;
    [this.#cells, this.#text, this.#firstLine, this.#problem] = [[], '', this.#line, undefined];
    if (text.trim() !== '') yield problem === undefined ? record : { ...record, problem };
  }
}

/** CSV (RFC 4180) as it comes, a record at a time. Pure. */

export interface CsvRecord {
  /** The line that it begins on, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** As it stands in the file, without the end of its last line. */
  readonly text: string;
  /** Why it is none. */
  readonly problem?: string;
}

type ParserState = 'start' | 'plain' | 'quoted' | 'quote';

const cellEnds: Readonly<Record<string, true>> = { ',': true, '\n': true };

/** Splits text that comes in pieces into records; blank lines are none. */
export class CsvReader {
  #state: ParserState = 'start';
  #cells: string[] = [];
  #cell = '';
  #text = '';
  #line = 1;
  #firstLine = 1;
  #problem: string | undefined;

  /** Letters of the record that is not complete yet. */
  get pending(): number {
    return this.#text.length;
  }

  /** The records that are complete with this piece. */
  *push(chunk: string): Generator<CsvRecord, void, undefined> {
    for (const char of chunk) {
      const isEnd = char === '\n' && this.#state !== 'quoted';
      if (char === '\n') this.#line += 1;
      if (!isEnd) this.#text += char;
      this.#consume(char);
      if (isEnd) yield* this.#completeRecord();
    }
  }

  /** The last record, where no line ends it. */
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

  /** Two quotes are one; after a closing one only the end of the cell can come. */
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

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

type State = 'start' | 'plain' | 'quoted' | 'quote';

const ends: Readonly<Record<string, true>> = { ',': true, '\n': true };

/** Splits text that comes in pieces into records; blank lines are none. */
export class CsvReader {
  #state: State = 'start';
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
  *push(piece: string): Generator<CsvRecord, void, undefined> {
    for (const letter of piece) {
      const isEnd = letter === '\n' && this.#state !== 'quoted';
      if (letter === '\n') this.#line += 1;
      if (!isEnd) this.#text += letter;
      this.#take(letter);
      if (isEnd) yield* this.#record();
    }
  }

  /** The last record, where no line ends it. */
  *end(): Generator<CsvRecord, void, undefined> {
    if (this.#state === 'quoted') this.#problem = 'a quote is never closed';
    this.#take('\n');
    yield* this.#record();
  }

  #take(letter: string): void {
    if (this.#state === 'quoted') this.#takeQuoted(letter);
    else if (ends[letter]) this.#endCell();
    else if (this.#state === 'quote') this.#takeAfterQuote(letter);
    else if (letter === '"' && this.#state === 'start') this.#state = 'quoted';
    else {
      this.#state = 'plain';
      this.#cell += letter;
    }
  }

  #takeQuoted(letter: string): void {
    if (letter === '"') this.#state = 'quote';
    else this.#cell += letter;
  }

  /** Two quotes are one; after a closing one only the end of the cell can come. */
  #takeAfterQuote(letter: string): void {
    if (letter === '"') {
      this.#cell += letter;
      this.#state = 'quoted';
    } else if (letter !== '\r') this.#problem = 'text follows a closing quote';
  }

  #endCell(): void {
    this.#cells.push(this.#state === 'plain' ? this.#cell.replace(/\r$/, '') : this.#cell);
    this.#cell = '';
    this.#state = 'start';
  }

  *#record(): Generator<CsvRecord, void, undefined> {
    const text = this.#text.replace(/\r$/, '');
    const record = { line: this.#firstLine, cells: this.#cells, text };
    const problem = this.#problem;
    [this.#cells, this.#text, this.#firstLine, this.#problem] = [[], '', this.#line, undefined];
    if (text.trim() !== '') yield problem === undefined ? record : { ...record, problem };
  }
}

/**
 * Lines of bash: the words on it, and candidates the way they go into it. Bash hands a function words that readline has
 * cut apart at colons and signs of equality, and puts in as it stands what it is given; so both are done here. Pure.
 */

type Quote = '' | '"' | "'";

export interface BashLine {
  /** The words before the cursor without their quotes, the one at the cursor left out. */
  readonly words: readonly string[];
  /** The word at the cursor without its quotes. */
  readonly typed: string;
  /** How much of it readline leaves in its place. */
  readonly keptLength: number;
  /** The quote that is open at the cursor. */
  readonly quote: Quote;
  /** What comes next is the target of a redirection. */
  readonly isRedirectTarget: boolean;
}

/** Reads a line up to the cursor; `breaks` is COMP_WORDBREAKS. Nothing in it is expanded. */
export function parseBashLine(line: string, breaks: string): BashLine {
  const parser = new BashLineParser(breaks);
  for (const letter of line) parser.consume(letter);
  return parser.line();
}

class BashLineParser {
  readonly #breaks: string;
  readonly #words: string[] = [];
  #typed = '';
  #kept = 0;
  #quote: Quote = '';
  #isEscaped = false;
  #isWord = false;
  #redirects = false;

  constructor(breaks: string) {
    this.#breaks = breaks;
  }

  consume(letter: string): void {
    if (this.#isEscaped) this.#escaped(letter);
    else if (letter === '\\' && this.#quote !== "'") this.#isEscaped = true;
    else if (this.#quote !== '') this.#quoted(letter);
    else if (letter === '"' || letter === "'") this.#open(letter);
    else if (/\s/.test(letter)) this.#end();
    else if (/[<>]/.test(letter)) this.#redirect();
    else if (/[|&;()]/.test(letter)) this.#afresh();
    else this.#plain(letter);
  }

  line(): BashLine {
    const [words, typed, keptLength, quote] = [this.#words, this.#typed, this.#kept, this.#quote];
    return { words, typed, keptLength, quote, isRedirectTarget: this.#redirects };
  }

  /** Within double quotes a backslash stays before what needs none. */
  #escaped(letter: string): void {
    this.#isEscaped = false;
    this.#isWord = true;
    this.#typed += this.#quote === '"' && !/["\\$`]/.test(letter) ? `\\${letter}` : letter;
  }

  #quoted(letter: string): void {
    if (letter !== this.#quote) this.#typed += letter;
    else [this.#quote, this.#kept] = ['', this.#keptBefore];
  }

  #keptBefore = 0;

  /** An open quote is where readline begins to replace; once it is closed, the whole word is one again. */
  #open(quote: Quote): void {
    this.#keptBefore = this.#kept;
    [this.#quote, this.#kept, this.#isWord] = [quote, this.#typed.length, true];
  }

  #plain(letter: string): void {
    this.#isWord = true;
    this.#typed += letter;
    if (this.#breaks.includes(letter)) this.#kept = this.#typed.length;
  }

  #end(): void {
    if (!this.#isWord) return;
    if (!this.#redirects) this.#words.push(this.#typed);
    this.#redirects = false;
    this.#begin();
  }

  #redirect(): void {
    // `2>file`: the number belongs to the sign.
    if (/^\d*$/.test(this.#typed)) this.#begin();
    else this.#end();
    this.#redirects = true;
  }

  /** Another command begins. */
  #afresh(): void {
    this.#words.length = 0;
    this.#redirects = false;
    this.#begin();
  }

  #begin(): void {
    [this.#typed, this.#kept, this.#isWord] = ['', 0, false];
  }
}

/** The values that go on from what is typed, as text that means just them where readline puts it. */
export function formatBashCandidates({ typed, keptLength, quote }: BashLine, values: readonly string[]): string[] {
  const fitting = values.filter((value) => value.startsWith(typed));
  return fitting.flatMap((value) => {
    const rest = value.slice(keptLength);
    // There history is expanded, and no backslash keeps it from that.
    if (quote === '"' && rest.includes('!')) return [];
    return [escapes[quote](rest)];
  });
}

const escapes: Readonly<Record<Quote, (text: string) => string>> = {
  '"': (text) => text.replace(/["\\$`]/g, '\\$&'),
  "'": (text) => text.replaceAll("'", "'\\''"),
  '': (text) => text.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&'),
};

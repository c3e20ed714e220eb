/**
 * Parses a bash command line into words and quotes candidates for it. Bash passes words that readline has split at
 * colons and equals signs, and inserts candidates verbatim; both are handled here. Pure.
 */
import { type Candidate, formatCandidate } from './candidate.ts';

type Quote = '' | '"' | "'";

export interface BashLine {
  /** The unquoted words before the word at the cursor. */
  readonly words: readonly string[];
  /** The unquoted word at the cursor. */
  readonly typed: string;
  /** The length of its prefix that readline does not replace. */
  readonly prefixLength: number;
  /** The open quote at the cursor. */
  readonly quote: Quote;
  /** The next word is the target of a redirection. */
  readonly isRedirectTarget: boolean;
}

/** Parses a line up to the cursor without expansion; `breaks` is COMP_WORDBREAKS. */
export function parseBashLine(line: string, breaks: string): BashLine {
  const parser = new BashLineParser(breaks);
  for (const letter of line) parser.consume(letter);
  return parser.line();
}

class BashLineParser {
  readonly #breaks: string;
  readonly #words: string[] = [];
  #typed = '';
  #prefixLength = 0;
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
    else if (/[|&;()]/.test(letter)) this.#startCommand();
    else this.#plain(letter);
  }

  line(): BashLine {
    const [words, typed, prefixLength, quote] = [this.#words, this.#typed, this.#prefixLength, this.#quote];
    return { words, typed, prefixLength, quote, isRedirectTarget: this.#redirects };
  }

  /** Within double quotes a backslash is literal before characters that need no escape. */
  #escaped(letter: string): void {
    this.#isEscaped = false;
    this.#isWord = true;
    this.#typed += this.#quote === '"' && !/["\\$`]/.test(letter) ? `\\${letter}` : letter;
  }

  #quoted(letter: string): void {
    if (letter !== this.#quote) this.#typed += letter;
    else [this.#quote, this.#prefixLength] = ['', this.#outerPrefixLength];
  }

  #outerPrefixLength = 0;

  /** readline replaces from an open quote on; after the closing quote it replaces the whole word. */
  #open(quote: Quote): void {
    this.#outerPrefixLength = this.#prefixLength;
    [this.#quote, this.#prefixLength, this.#isWord] = [quote, this.#typed.length, true];
  }

  #plain(letter: string): void {
    this.#isWord = true;
    this.#typed += letter;
    if (this.#breaks.includes(letter)) this.#prefixLength = this.#typed.length;
  }

  #end(): void {
    if (!this.#isWord) return;
    if (!this.#redirects) this.#words.push(this.#typed);
    this.#redirects = false;
    this.#startWord();
  }

  #redirect(): void {
    // `2>file`: the number belongs to the redirection.
    if (/^\d*$/.test(this.#typed)) this.#startWord();
    else this.#end();
    this.#redirects = true;
  }

  /** Starts another command. */
  #startCommand(): void {
    this.#words.length = 0;
    this.#redirects = false;
    this.#startWord();
  }

  #startWord(): void {
    [this.#typed, this.#prefixLength, this.#isWord] = ['', 0, false];
  }
}

/**
 * The values that continue the typed text, quoted for the position where readline inserts them. Their texts follow after a
 * tab, which no quoted value contains.
 */
export function formatBashCandidates(
  { typed, prefixLength, quote }: BashLine,
  candidates: readonly Candidate[],
): string[] {
  const fitting = candidates.filter(({ value }) => value.startsWith(typed));
  return fitting.flatMap(({ value, text }) => {
    const rest = value.slice(prefixLength);
    // History expansion applies within double quotes and cannot be escaped there.
    if (quote === '"' && rest.includes('!')) return [];
    return [formatCandidate({ value: escapes[quote](rest), text })];
  });
}

const escapes: Readonly<Record<Quote, (text: string) => string>> = {
  '"': (text) => text.replace(/["\\$`]/g, '\\$&'),
  "'": (text) => text.replaceAll("'", "'\\''"),
  '': (text) => text.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&'),
};

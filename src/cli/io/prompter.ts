/** The kinds of prompts, and the interface of a prompter: the terminal, or a script in tests. */

export interface Choice {
  readonly value: string;
  /** The text in the list. */
  readonly name: string;
  /** The text after it is selected; by default the name. */
  readonly short?: string;
  readonly checked?: boolean;
  /** A line below the list while the choice is active. */
  readonly description?: string;
}

/** Returns true for a valid value, or an error message. */
export type Validator = (value: string) => true | string;

/** Returns the choices for the typed text. */
export type ChoiceSource = (
  term: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<readonly Choice[]>;

export type Question =
  | {
      readonly type: 'input';
      readonly message: string;
      readonly validate?: Validator;
      /** Enter must be pressed: that of a pasted line does not count. */
      readonly isConfirmation?: boolean;
    }
  | { readonly type: 'password'; readonly message: string; readonly mask: string; readonly validate?: Validator }
  | { readonly type: 'confirm'; readonly message: string; readonly default: false }
  | {
      readonly type: 'select';
      readonly message: string;
      readonly choices: readonly Choice[];
      /** The line above the choices. */
      readonly header?: string;
    }
  | {
      readonly type: 'checkbox';
      readonly message: string;
      readonly choices: readonly Choice[];
      readonly pageSize: number;
      /** At least one choice must be selected. */
      readonly required: boolean;
    }
  | {
      readonly type: 'search';
      readonly message: string;
      readonly source: ChoiceSource;
      /** Visible lines of the list. */
      readonly pageSize: number;
      /** Whether the server has more entries than the list. */
      readonly hasMore?: boolean;
      readonly validate?: (value: string) => Promise<true | string>;
    };

/** Prompts with one question and returns the answer: text, a boolean or a list of texts. */
export type Prompter = (question: Question) => Promise<unknown>;

/** What can be asked, and who asks it: a terminal, or whoever stands in for one in a test. */

export interface Choice {
  readonly value: string;
  /** What is shown of it in the list. */
  readonly name: string;
  /** What stays on the screen once it was chosen; the name where left out. */
  readonly short?: string;
  readonly checked?: boolean;
}

/** True where a value will do, or else what is wrong with it. */
export type Validator = (value: string) => true | string;

/** Choices for what was typed so far. */
export type ChoiceSource = (
  term: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<readonly Choice[]>;

export type Question =
  | { readonly type: 'input'; readonly message: string; readonly validate?: Validator }
  | { readonly type: 'password'; readonly message: string; readonly mask: string; readonly validate?: Validator }
  | { readonly type: 'confirm'; readonly message: string; readonly default: false }
  | { readonly type: 'select'; readonly message: string; readonly choices: readonly Choice[] }
  | {
      readonly type: 'checkbox';
      readonly message: string;
      readonly choices: readonly Choice[];
      readonly pageSize: number;
      /** At least one must be chosen. */
      readonly required: boolean;
    }
  | {
      readonly type: 'search';
      readonly message: string;
      readonly source: ChoiceSource;
      /** Lines of the list that are shown at a time. */
      readonly pageSize: number;
      readonly validate?: (value: string) => Promise<true | string>;
    };

/** Asks one question and gives the answer: text, true or false, or a list of texts. */
export type Prompter = (question: Question) => Promise<unknown>;

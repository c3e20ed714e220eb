/** What a list offers for its selected rows, as data: one request a row. */
import type { ReactNode } from 'react';
import type { AccessTarget } from '../../api/permissions.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { formatCount } from '../texts/format-count.ts';

export interface BulkAction<Row> {
  /** Of the button: `Lock`. */
  readonly label: string;
  /** What a row sends; of several, one is sufficient for the button. */
  readonly operations: readonly AccessTarget[];
  readonly isDangerous?: boolean;
  /** Whether requests of the rows are rejected afterwards. */
  readonly isLockout?: boolean;
  /** @param rows `3 users` @returns the title of the confirmation, and the label of its button: `Lock 3 users` */
  title(rows: string): string;
  /** What is then said of the rows: `locked`. */
  readonly done: string;
  /** What it does to them, as sentences. */
  readonly effect: string;
  /** Rows that it would not change are left out. */
  readonly skip?: {
    /** `already locked` */
    readonly text: string;
    test(row: Row): boolean;
  };
  /** What is chosen or typed for all rows. */
  readonly field?: {
    readonly isRequired: boolean;
    render(value: string, onChange: (value: string) => void): ReactNode;
  };
  request(row: Row, value: string): ApiRequest;
  /** The commands that do the same, without `iam`. */
  commands(rows: readonly Row[], value: string): readonly string[];
}

/** The rows of a list, and what can be done with several of them. */
export interface BulkActions<Row> {
  /** `['user', 'users']` */
  readonly noun: readonly [one: string, many: string];
  keyOf(row: Row): string;
  /** The name of a row in text. */
  nameOf(row: Row): string;
  /** The name of a row as pages show it. */
  render(row: Row): ReactNode;
  /**
   * Whether the row is what the console sends its requests as.
   * @param subject who logged in; undefined without a login
   */
  isOwn?(row: Row, subject: string | undefined): boolean;
  readonly actions: readonly BulkAction<Row>[];
  /** The nouns of the queries that the actions affect. */
  readonly changes: readonly string[];
}

export function formatRows({ noun }: Pick<BulkActions<never>, 'noun'>, count: number): string {
  return formatCount(count, ...noun);
}

/** The rows of an action that failed, by error. They stay selected. */
import { Alert, Code, List } from '@mantine/core';
import { RequestError } from '../../api/errors.ts';
import { JoinedList } from '../subject.tsx';
import { type BulkAction, type BulkActions, formatRows } from './bulk-action.ts';
import type { FailedRow } from './send-each.ts';

interface FailedRowsProps<Row> {
  readonly bulk: BulkActions<Row>;
  readonly action: BulkAction<Row>;
  readonly failed: readonly FailedRow<Row>[];
}

/** Errors with texts of their own can be as many as rows. */
const maxErrors = 10;
const maxNamed = 10;

export function FailedRows<Row>({ bulk, action, failed }: FailedRowsProps<Row>) {
  const count = failed.length;
  const errors = [...groupByError(failed)];
  return (
    <Alert
      color="red"
      role="alert"
      title={`${formatRows(bulk, count)} ${count === 1 ? 'was' : 'were'} not ${action.done}`}
    >
      <List size="sm">
        {errors.slice(0, maxErrors).map(([text, rows]) => (
          <List.Item key={text}>
            <JoinedList
              items={rows}
              keyOf={({ row }) => bulk.keyOf(row)}
              render={({ row }) => bulk.render(row)}
              maxListed={maxNamed}
            />
            : <ErrorText error={rows[0]?.error} />
          </List.Item>
        ))}
        {errors.length > maxErrors ? <List.Item>and {errors.length - maxErrors} other errors</List.Item> : undefined}
      </List>
    </Alert>
  );
}

function groupByError<Row>(failed: readonly FailedRow<Row>[]): ReadonlyMap<string, readonly FailedRow<Row>[]> {
  const groups = new Map<string, FailedRow<Row>[]>();
  for (const row of failed) {
    const text = describeError(row.error).join(' ');
    const group = groups.get(text);
    if (group) group.push(row);
    else groups.set(text, [row]);
  }
  return groups;
}

function describeError(error: unknown): readonly [code: string, message: string] {
  const [first] = error instanceof RequestError ? error.items : [];
  if (first) return [first.code, first.message];
  return ['CONSOLE_ERROR', error instanceof Error ? error.message : 'Unknown error'];
}

function ErrorText({ error }: { readonly error: unknown }) {
  const [code, message] = describeError(error);
  return (
    <>
      <Code>{code}</Code> {message}
    </>
  );
}

/** Confirms an action for several rows, shows how far it is, and which rows failed and why. */
import { Alert, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { callerQueryKey, useLogin } from '../../api/caller.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { useChanged } from '../../api/use-changed.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { CopyableLine, useCommandFormat } from '../equivalents.tsx';
import { JoinedList } from '../subject.tsx';
import { useToast } from '../toasts/toasts.tsx';
import { type BulkAction, type BulkActions, formatRows } from './bulk-action.ts';
import { FailedRows } from './failed-rows.tsx';
import { type SendResult, sendEach } from './send-each.ts';

interface BulkDialogProps<Row> {
  readonly bulk: BulkActions<Row>;
  readonly action: BulkAction<Row>;
  readonly rows: readonly Row[];
  readonly isOpen: boolean;
  /** Called with the rows that are no longer to be selected. */
  onDone(rows: readonly Row[]): void;
  onClose(): void;
}

export function BulkDialog<Row>({ bulk, action, rows, isOpen, onDone, onClose }: BulkDialogProps<Row>) {
  const { skip, field } = action;
  const [value, setValue] = useState('');
  const send = useSendEach({ bulk, action, value, onDone, onClose });
  const { isPending, data: result } = send;
  const [wasOpen, setWasOpen] = useState(false);
  if (isOpen !== wasOpen) {
    setWasOpen(isOpen);
    if (isOpen) {
      setValue('');
      send.reset();
    }
  }
  const affected = rows.filter((row) => skip?.test(row) !== true);
  const concerned = isPending ? send.variables : result === undefined ? affected : listRemaining(affected, result);
  const failed = result?.failed ?? [];
  const text = formatRows(bulk, concerned.length);
  return (
    <ConfirmDialog
      title={action.title(text)}
      isOpen={isOpen}
      confirmLabel={failed.length > 0 && failed.length === concerned.length ? 'Try again' : action.title(text)}
      cancelLabel={isPending ? 'Stop' : failed.length > 0 ? 'Close' : 'Cancel'}
      isDangerous={action.isDangerous ?? false}
      isReady={field?.isRequired !== true || value !== ''}
      isPending={isPending}
      onConfirm={() => send.mutate(concerned)}
      onCancel={isPending ? send.stop : onClose}
    >
      <Stack gap="xs">
        {isPending ? (
          <SendProgress count={send.count} total={send.variables.length} />
        ) : failed.length > 0 ? (
          <FailedRows bulk={bulk} action={action} failed={failed} />
        ) : (
          <>
            <Affected bulk={bulk} action={action} rows={concerned} skippedCount={rows.length - concerned.length} />
            {field?.render(value, setValue)}
            <Commands commands={concerned.length > maxCommandRows ? [] : action.commands(concerned, value)} />
          </>
        )}
      </Stack>
    </ConfirmDialog>
  );
}

/** With more rows, the command would be too long for a reader. */
const maxCommandRows = 100;

/** Failed rows first, then those that were not sent. */
function listRemaining<Row>(rows: readonly Row[], { done, failed }: SendResult<Row>): readonly Row[] {
  const first = failed.map(({ row }) => row);
  const settled = new Set([...done, ...first]);
  return [...first, ...rows.filter((row) => !settled.has(row))];
}

type SendOptions<Row> = Pick<BulkDialogProps<Row>, 'bulk' | 'action' | 'onDone' | 'onClose'> & {
  readonly value: string;
};

function useSendEach<Row>({ bulk, action, value, onDone, onClose }: SendOptions<Row>) {
  const clients = useConsole();
  // A rejected request can mean that the caller lost a role.
  const changed = useChanged([...bulk.changes, ...callerQueryKey]);
  const showToast = useToast();
  const [count, setCount] = useState(0);
  const stopper = useRef<AbortController>(undefined);
  const stop = () => stopper.current?.abort();
  useEffect(() => () => stopper.current?.abort(), []);
  const send = useMutation({
    mutationFn: (rows: readonly Row[]): Promise<SendResult<Row>> => {
      setCount(0);
      stopper.current = new AbortController();
      const { signal } = stopper.current;
      const sendRow = (row: Row) => unwrap(action.request(row, value)(clients));
      return sendEach({ rows, send: sendRow, signal, onProgress: setCount });
    },
    onSuccess: (result, rows) => {
      onDone(result.done);
      if (result.done.length > 0) showToast({ text: describeResult(bulk, action, result, rows.length) });
      if (result.failed.length === 0) onClose();
      void changed();
    },
  });
  return { ...send, count, stop };
}

function describeResult<Row>(
  bulk: BulkActions<Row>,
  { done: participle }: BulkAction<Row>,
  { done, failed }: SendResult<Row>,
  total: number,
): string {
  const left = total - done.length - failed.length;
  const sentences = [
    `${formatRows(bulk, done.length)} ${done.length === 1 ? 'was' : 'were'} ${participle}.`,
    failed.length === 0 ? '' : `${failed.length.toLocaleString('en')} failed.`,
    left === 0 ? '' : `Stopped before the other ${left.toLocaleString('en')}.`,
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

function SendProgress({ count, total }: { readonly count: number; readonly total: number }) {
  const text = `${count.toLocaleString('en')} of ${total.toLocaleString('en')}`;
  return (
    <>
      <Text className="numbers">{text}</Text>
      <progress className="bulk-progress" aria-label="Progress" value={count} max={total} />
    </>
  );
}

const maxNamed = 10;

interface AffectedProps<Row> extends Pick<BulkDialogProps<Row>, 'bulk' | 'action' | 'rows'> {
  readonly skippedCount: number;
}

function Affected<Row>({ bulk, action, rows, skippedCount }: AffectedProps<Row>) {
  const login = useLogin();
  const own = action.isLockout ? rows.find((row) => bulk.isOwn?.(row, login?.subject)) : undefined;
  return (
    <>
      <Text component="div">
        <JoinedList items={rows} keyOf={bulk.keyOf} render={bulk.render} maxListed={maxNamed} />.
      </Text>
      <Text>{action.effect}</Text>
      {skippedCount === 0 ? undefined : (
        <Text>
          Left out: {formatRows(bulk, skippedCount)}, {action.skip?.text}.
        </Text>
      )}
      {own === undefined ? undefined : (
        <Alert color="orange">
          The console itself uses {bulk.render(own)}: its requests are then rejected until you log in otherwise.
        </Alert>
      )}
    </>
  );
}

function Commands({ commands }: { readonly commands: readonly string[] }) {
  const format = useCommandFormat();
  if (commands.length === 0) return undefined;
  return (
    <details className="terminal">
      <summary>The same from a terminal</summary>
      <CopyableLine text={commands.map(format).join('\n')} />
    </details>
  );
}

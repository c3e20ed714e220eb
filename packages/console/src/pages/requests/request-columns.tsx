/** The columns of the list of requests. */
import { Badge, Group } from '@mantine/core';
import type { ControlData } from '../../api/clients.ts';
import { useNames } from '../../api/use-names.ts';
import type { RowColumn } from '../../components/row-list.tsx';
import { RelativeTime } from '../../components/server-time.tsx';
import { Subject, type SubjectProps } from '../../components/subject.tsx';

export type LoggedRequest = ControlData<'/requests'>[number];

/** Left out on the page of a caller. */
export const callerColumn: RowColumn<LoggedRequest> = {
  title: 'Caller',
  isOptional: true,
  width: 'minmax(13rem, 2fr)',
  phone: 'detail',
  render: (item) => (
    <span className={item.byConsole ? 'one-line' : undefined}>
      <RequestCaller request={item} isPlain />
      {item.byConsole ? <span className="row-wide">by the console</span> : undefined}
    </span>
  ),
};

export const requestColumns: RowColumn<LoggedRequest>[] = [
  { title: 'Operation', width: 'minmax(13rem, 2fr)', render: (item) => item.operation ?? unknownOperation(item) },
  { title: 'Status', width: '7rem', phone: 'end', render: (item) => <RequestStatus request={item} /> },
  {
    title: 'Error',
    isOptional: true,
    width: 'minmax(10rem, 2fr)',
    phone: 'detail',
    render: ({ errors }) => <ErrorCodes codes={[...new Set(errors)]} />,
  },
  callerColumn,
  { title: 'Time', width: '6rem', phone: 'detailEnd', render: ({ at }) => <RelativeTime at={at} /> },
  {
    title: 'Duration',
    isOptional: true,
    width: '5rem',
    align: 'end',
    render: ({ milliseconds }) => formatDuration(milliseconds),
  },
];

interface RequestCallerProps extends Pick<SubjectProps, 'isPlain'> {
  readonly request: LoggedRequest;
}

/** The user, or else the client; for logins the user or client of that id, and for rejected credentials the text of the log. */
export function RequestCaller({ request, isPlain }: RequestCallerProps) {
  const { caller, callerName, userId, clientId } = request;
  const [kind, id] = userId === undefined ? (['client', clientId] as const) : (['user', userId] as const);
  return id === undefined ? (
    <LoggedIn id={caller} isPlain={isPlain} />
  ) : (
    <Subject kind={kind} id={id} name={callerName} isPlain={isPlain} />
  );
}

/** The first, and how many others there are. */
function ErrorCodes({ codes: [first, ...others] }: { readonly codes: readonly string[] }) {
  if (first === undefined) return undefined;
  return others.length === 0 ? (
    first
  ) : (
    <span className="one-line" title={others.join(', ')}>
      <span>{first}</span>
      <span>+{others.length}</span>
    </span>
  );
}

function LoggedIn({ id, isPlain }: Pick<SubjectProps, 'id' | 'isPlain'>) {
  const nameOf = useNames([id]);
  const kind = (['user', 'client'] as const).find((each) => nameOf(each, id) !== undefined);
  return kind === undefined ? id : <Subject kind={kind} id={id} name={nameOf(kind, id)} isPlain={isPlain} />;
}

function unknownOperation({ method, path }: LoggedRequest): string {
  return `${method} ${path}`;
}

export function formatDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds.toFixed(1)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** The status, and whether a fault changed the response. Colour only repeats what the text says. */
export function RequestStatus({
  request: { status, fault },
}: {
  readonly request: Pick<LoggedRequest, 'status' | 'fault'>;
}) {
  return (
    <Group gap={4} wrap="nowrap">
      <Badge color={colorOf(status)} style={{ flexShrink: 0 }}>
        {status ?? 'Dropped'}
      </Badge>
      {fault === undefined ? undefined : (
        <Badge color="orange" variant="outline" title={fault} c="inherit">
          Fault
        </Badge>
      )}
    </Group>
  );
}

function colorOf(status: number | undefined): string {
  if (status === undefined || status >= 500) return 'red';
  return status >= 400 ? 'orange' : 'green';
}

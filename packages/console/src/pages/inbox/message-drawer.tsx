/** One message with its text. */
import { Code, Drawer, Stack, Table } from '@mantine/core';
import { CopyTextButton } from '../../components/copy-text-button.tsx';
import { Equivalents, quotePositional } from '../../components/equivalents.tsx';
import { formatTime, useServerNow } from '../../components/server-time.tsx';
import { type InboxMessage, MessageState } from './message-list.tsx';

interface MessageDrawerProps {
  readonly message: InboxMessage | undefined;
  onClose(): void;
}

export function MessageDrawer({ message, onClose }: MessageDrawerProps) {
  return (
    <Drawer
      opened={message !== undefined}
      onClose={onClose}
      position="right"
      title="Message"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {message === undefined ? undefined : <MessageDetail message={message} />}
    </Drawer>
  );
}

function MessageDetail({ message }: { readonly message: InboxMessage }) {
  const now = useServerNow();
  const { to, channel, purpose, code, text, createdAt, expiresAt, failure, supersededBy } = message;
  const rows = [
    ['To', to],
    ['Channel', channel],
    ['Purpose', purpose],
    ['Sent', formatTime(createdAt)],
    ['Expires', expiresAt === undefined ? undefined : formatTime(expiresAt)],
    ['State', <MessageState key="state" message={message} now={now} />],
    ['Failure', failure],
    ['Replaced by', supersededBy],
  ] as const;
  return (
    <Stack gap="md">
      <Code block tabIndex={0} aria-label="Text" style={{ whiteSpace: 'pre-wrap' }}>
        {text}
      </Code>
      {code === undefined ? undefined : <CopyTextButton text={code} label={`Copy the code ${code}`} size="sm" />}
      <Table>
        <Table.Tbody>
          {rows
            .filter(([, value]) => value !== undefined)
            .map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row">{name}</Table.Th>
                <Table.Td>{value}</Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
      <Equivalents
        command={`inbox code ${quotePositional(to)}`}
        call={{ path: `/_iam/inbox?to=${encodeURIComponent(to)}&purpose=${encodeURIComponent(purpose)}&limit=1` }}
      />
    </Stack>
  );
}

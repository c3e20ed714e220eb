/** `?`: the keys of the console. */
import { Group, Kbd, Modal, Stack, Text, Title } from '@mantine/core';
import { pageList } from '../pages/page-list.ts';

type Keys = readonly (readonly [string, readonly string[]])[];

const everywhere: Keys = [
  ['Search and actions', ['Ctrl', 'K']],
  ['Search on the page', ['/']],
  ['Keyboard shortcuts', ['?']],
  ['Close a row or a dialog', ['Esc']],
];
const inLists: Keys = [
  ['Next row', ['j']],
  ['Previous row', ['k']],
  ['Open the row', ['Enter']],
  ['Select the row', ['x']],
  ['Select all rows to a checkbox', ['Shift', 'click']],
  ['Clear the selection', ['Esc']],
];
const pages: Keys = pageList.map(({ title, key }) => [title, ['g', key]] as const);

export function ShortcutsDialog({ isOpen, onClose }: { readonly isOpen: boolean; onClose(): void }) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Keyboard shortcuts"
      size={640}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div className="shortcuts">
        <Stack gap="lg">
          <KeyList title="Everywhere" keys={everywhere} />
          <KeyList title="In lists" keys={inLists} />
        </Stack>
        <KeyList title="Go to" keys={pages} />
      </div>
    </Modal>
  );
}

function KeyList({ title, keys }: { readonly title: string; readonly keys: Keys }) {
  return (
    <Stack component="section" gap={4} aria-label={title}>
      <Title order={3} size="h6" c="dimmed">
        {title}
      </Title>
      {keys.map(([label, parts]) => (
        <Group key={label} justify="space-between" gap="xs" wrap="nowrap">
          <Text>{label}</Text>
          <Group gap={4} wrap="nowrap">
            {parts.map((part) => (
              <Kbd key={part}>{part}</Kbd>
            ))}
          </Group>
        </Group>
      ))}
    </Stack>
  );
}

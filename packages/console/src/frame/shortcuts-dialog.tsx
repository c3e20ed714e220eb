/** `?`: the keys of the console. */
import { Group, Kbd, Modal, SimpleGrid, Text } from '@mantine/core';
import { pageList } from '../pages/page-list.ts';

const keys: readonly (readonly [string, readonly string[]])[] = [
  ['Search and actions', ['Ctrl', 'K']],
  ['Search on the page', ['/']],
  ['Keyboard shortcuts', ['?']],
  ['Next row', ['j']],
  ['Previous row', ['k']],
  ['Open the row', ['Enter']],
  ['Select the row', ['x']],
  ['Select all rows to a checkbox', ['Shift', 'click']],
  ['Close a row or a dialog, clear the selection', ['Esc']],
  ...pageList.map(({ title, key }) => [title, ['g', key]] as const),
];

export function ShortcutsDialog({ isOpen, onClose }: { readonly isOpen: boolean; onClose(): void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Keyboard shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg" verticalSpacing={6}>
        {keys.map(([label, parts]) => (
          <Group key={label} justify="space-between" gap="xs" wrap="nowrap">
            <Text size="sm">{label}</Text>
            <Group gap={4} wrap="nowrap">
              {parts.map((part) => (
                <Kbd key={part}>{part}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
      </SimpleGrid>
    </Modal>
  );
}

/** The changes of an edit, before they are sent. */
import { Code, List, Stack, Text, Title } from '@mantine/core';
import type { GroupFieldChange } from './group-changes.ts';

const verbs = { add: 'Add', remove: 'Remove', set: 'Set' };

export function ChangeList({ changes }: { readonly changes: readonly GroupFieldChange[] }) {
  return (
    <Stack gap="xs" component="section" aria-label="Changes" aria-live="polite">
      <Title order={3} size="h6">
        Changes
      </Title>
      {changes.length === 0 ? (
        <Text size="sm" c="dimmed">
          None yet.
        </Text>
      ) : (
        <List size="sm" style={{ overflowWrap: 'anywhere' }}>
          {changes.map((change) => (
            <List.Item key={change.option}>
              <ChangeText change={change} />
            </List.Item>
          ))}
        </List>
      )}
    </Stack>
  );
}

function ChangeText({ change: { kind, label, value, before } }: { readonly change: GroupFieldChange }) {
  if (kind !== 'set')
    return (
      <>
        {verbs[kind]} the {label.toLowerCase()} <Code>{value}</Code>
      </>
    );
  return (
    <>
      {label}: {before === '' ? 'none' : <Code>{before}</Code>} becomes {value === '' ? 'none' : <Code>{value}</Code>}
    </>
  );
}

/** Shows a secret in the form in which it is needed, and copies it. It is only in the state of its dialog. */
import { Code, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { CopyTextButton } from '../copy-text-button.tsx';
import { listSecretFormats, type Secret } from './secret-formats.ts';

interface SecretViewProps {
  /** What it is: `Client secret`. */
  readonly label: string;
  readonly secret: Secret;
}

export function SecretView({ label, secret }: SecretViewProps) {
  const { location } = useConsole();
  const formats = listSecretFormats(secret, `${window.location.origin}${location.basePath}`);
  const [format, setFormat] = useState('Text');
  const { text = '' } = formats.find((each) => each.label === format) ?? {};
  return (
    <Stack className="secret" gap="xs">
      <Text size="sm" role="status">
        {label}: copy it now, it is not shown again.
      </Text>
      <Group justify="space-between">
        <SegmentedControl
          aria-label="Format"
          size="xs"
          data={formats.map((each) => each.label)}
          value={format}
          onChange={setFormat}
        />
        <CopyTextButton text={text} label="Copy" size="sm" variant="filled" isFirst />
      </Group>
      <div className="copyable">
        <Code block tabIndex={0} aria-label={label}>
          {text}
        </Code>
      </div>
    </Stack>
  );
}

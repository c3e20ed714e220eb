/** The faults with a name: a click adds one. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { faultPresetNames, faultPresets, formatPreset } from '../../../../../src/contract/testing/fault-effects.ts';
import { CopyableLine, useCommandFormat } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { useFaultAddition } from './use-fault-addition.tsx';

/** @param isFirst whether there are no faults yet */
export function FaultPresets({ isFirst }: { readonly isFirst: boolean }) {
  const formatCommand = useCommandFormat();
  const [error, setError] = useState<unknown>();
  const addition = useFaultAddition({ onStart: () => setError(undefined), onError: setError });
  return (
    <Paper withBorder p="md" bg="var(--surface)">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Add a fault with a name
        </Title>
        {isFirst ? (
          <>
            <Text c="dimmed">
              No faults. One makes requests fail on purpose, so that you see what your program does.
            </Text>
            <div className="fault-example">
              <CopyableLine text={formatCommand('faults add --preset next-login-fails')} />
            </div>
          </>
        ) : undefined}
        <Group gap="xs">
          {faultPresetNames.map((preset) => (
            <PermittedButton
              key={preset}
              operation="POST /_iam/faults"
              size="compact-sm"
              variant="default"
              title={faultPresets[preset].description}
              onClick={() => addition.add({ preset })}
            >
              {formatPreset(preset)}
            </PermittedButton>
          ))}
        </Group>
        {error === undefined ? undefined : <ErrorPanel error={error} />}
      </Stack>
      {addition.question}
    </Paper>
  );
}

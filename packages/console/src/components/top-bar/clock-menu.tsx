/** The server's clock: shows it, freezes it, advances it, and returns it to the time of the machine. */
import { Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { paths } from '#control-api';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { Equivalents, quotePositional } from '../equivalents.tsx';
import { ErrorPanel } from '../error-panel.tsx';
import { PermittedButton } from '../permitted-button.tsx';
import { formatTime, useClock, useServerNow } from '../server-time.tsx';

type ClockChange = NonNullable<paths['/clock']['put']['requestBody']>['content']['application/json'];

export function ClockMenu() {
  const { data: clock } = useClock();
  const now = useServerNow();
  const isMoved = clock !== undefined && (clock.frozen || Math.abs(clock.offset) >= 1);
  return (
    <Popover position="bottom-end" width={360} trapFocus>
      <Popover.Target>
        <Button size="compact-sm" variant={isMoved ? 'filled' : 'default'}>
          <Text component="span" inherit ff="monospace">
            {now === undefined ? 'Clock' : formatTime(new Date(now).toISOString()).slice(11)}
          </Text>
          {clock?.frozen ? ' frozen' : undefined}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <ClockPanel now={now} />
      </Popover.Dropdown>
    </Popover>
  );
}

function ClockPanel({ now }: { readonly now: number | undefined }) {
  const { control } = useConsole();
  const { data: clock } = useClock();
  const queryClient = useQueryClient();
  const [advance, setAdvance] = useState('10m');
  const change = useMutation({
    mutationFn: (body: ClockChange) => unwrap(control.PUT('/clock', { body })),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ advance } as ClockChange);
  };
  return (
    <Stack gap="sm">
      <Text size="sm">
        {now === undefined ? 'unknown' : formatTime(new Date(now).toISOString())}
        {clock === undefined || clock.offset === 0 ? undefined : `, ${Math.round(clock.offset)} s from this machine`}
      </Text>
      <Group gap="xs">
        <PermittedButton
          operation="PUT /_iam/clock"
          size="compact-sm"
          variant="default"
          onClick={() => change.mutate({ freeze: !clock?.frozen } as ClockChange)}
        >
          {clock?.frozen ? 'Let it run' : 'Freeze'}
        </PermittedButton>
        <PermittedButton
          operation="PUT /_iam/clock"
          size="compact-sm"
          variant="default"
          onClick={() => change.mutate({ reset: true } as ClockChange)}
        >
          Reset to this machine
        </PermittedButton>
      </Group>
      <form onSubmit={onSubmit}>
        <Group gap="xs" align="flex-end">
          <TextInput
            label="Advance by"
            description="90s, 10m, 2h, 7d"
            value={advance}
            onChange={({ currentTarget }) => setAdvance(currentTarget.value)}
            flex={1}
          />
          <PermittedButton operation="PUT /_iam/clock" type="submit" loading={change.isPending}>
            Advance
          </PermittedButton>
        </Group>
      </form>
      {change.error ? <ErrorPanel error={change.error} /> : undefined}
      <Equivalents
        command={`clock advance ${quotePositional(advance)}`}
        call={{ method: 'PUT', path: '/_iam/clock', body: { advance } }}
      />
    </Stack>
  );
}

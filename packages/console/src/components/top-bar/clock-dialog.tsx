/** The server's clock: freezes it, moves it, sets it to a time, and returns it to the time of the machine. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { paths } from '#control-api';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { Equivalents, quotePositional } from '../equivalents.tsx';
import { ErrorPanel } from '../error-panel.tsx';
import { Icon } from '../icon.tsx';
import { PermittedButton } from '../permitted-button.tsx';
import { DeletedSandbox } from '../restore-sandbox.tsx';
import { formatTime, useClock, useServerNow } from '../server-time.tsx';
import { useLatestMessages } from './use-latest-messages.ts';

type ClockChange = Partial<NonNullable<paths['/clock']['put']['requestBody']>['content']['application/json']>;

interface ClockDialogProps {
  readonly isOpen: boolean;
  onClose(): void;
}

export function ClockDialog({ isOpen, onClose }: ClockDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Clock" closeButtonProps={{ 'aria-label': 'Close' }}>
      <DeletedSandbox>The clock cannot be changed until the sandbox exists again.</DeletedSandbox>
      <ClockPanel />
    </Modal>
  );
}

function ClockPanel() {
  const { control } = useConsole();
  const { data: clock } = useClock();
  const now = useServerNow();
  const queryClient = useQueryClient();
  const [advance, setAdvance] = useState('10m');
  const [time, setTime] = useState('');
  const change = useMutation({
    mutationFn: (body: ClockChange) => unwrap(control.PUT('/clock', { body: body as never })),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  const submit = (body: ClockChange) => (event: FormEvent) => {
    event.preventDefault();
    change.mutate(body);
  };
  return (
    <Stack gap="sm">
      <div>
        <Text size="xl" fw={600} className="numbers">
          {now === undefined ? 'unknown' : formatTime(new Date(now).toISOString())}
        </Text>
        <Text c="dimmed">{clock === undefined ? '' : describeClock(clock)}</Text>
      </div>
      <form onSubmit={submit({ advance })}>
        <Group gap="xs" align="flex-end">
          <TextInput
            label="Advance by: 90s, 10m, 2h, 7d"
            aria-label="Advance by"
            value={advance}
            onChange={({ currentTarget }) => setAdvance(currentTarget.value)}
            flex={1}
          />
          <PermittedButton operation="PUT /_iam/clock" type="submit" w={96}>
            Advance
          </PermittedButton>
        </Group>
      </form>
      <form onSubmit={submit({ set: toTime(time) })}>
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label="Set to a time (UTC)"
            placeholder={now === undefined ? undefined : new Date(now).toISOString().slice(0, 19).replace('T', ' ')}
            value={time}
            onChange={({ currentTarget }) => setTime(currentTarget.value)}
            required
            withAsterisk={false}
            flex={1}
            miw={0}
          />
          <PermittedButton operation="PUT /_iam/clock" type="submit" variant="default" w={96}>
            Set
          </PermittedButton>
        </Group>
      </form>
      <ExpiryButton onChange={change.mutate} />
      {change.error ? <ErrorPanel error={change.error} /> : undefined}
      <Equivalents
        command={`clock advance ${quotePositional(advance)}`}
        call={{ method: 'PUT', path: '/_iam/clock', body: { advance } }}
      />
      <Group className="dialog-foot">
        <span />
        <PermittedButton operation="PUT /_iam/clock" variant="default" onClick={() => change.mutate({ reset: true })}>
          Reset to this machine
        </PermittedButton>
        <PermittedButton
          operation="PUT /_iam/clock"
          variant="default"
          onClick={() => change.mutate({ freeze: !clock?.frozen })}
        >
          {clock?.frozen ? 'Let it run' : 'Freeze'}
        </PermittedButton>
      </Group>
    </Stack>
  );
}

/** `2026-11-30 12:00` as the interface has it. */
function toTime(text: string): string {
  const [, date = '', time = '', seconds = ':00'] = /^(\S+?)[ T]+(\d\d:\d\d)(:\d\d)?Z?$/.exec(text.trim()) ?? [];
  return date === '' ? text : `${date}T${time}${seconds}Z`;
}

/** The last code that has not expired. Tokens have the same on their page. */
function ExpiryButton({ onChange }: { onChange(change: ClockChange): void }) {
  const [message] = useLatestMessages();
  const now = useServerNow();
  if (message?.expiresAt === undefined || now === undefined || Date.parse(message.expiresAt) <= now) return undefined;
  return (
    <PermittedButton
      operation="PUT /_iam/clock"
      variant="default"
      onClick={() => onChange({ to: 'expiry', of: message.id, offset: '1s' })}
    >
      Past the expiry of the last code
    </PermittedButton>
  );
}

interface ClockState {
  readonly frozen: boolean;
  readonly offset: number;
}

export function isClockChanged(clock: ClockState | undefined): clock is ClockState {
  return clock !== undefined && (clock.frozen || Math.abs(clock.offset) >= 1);
}

export function describeClock({ frozen, offset }: ClockState): string {
  const distance = Math.abs(offset) < 1 ? 'The time of this machine' : `${describeOffset(offset)} this machine`;
  return frozen ? `${distance}, frozen` : distance;
}

function describeOffset(seconds: number): string {
  const parts = [
    [Math.floor(Math.abs(seconds) / 86_400), 'd'],
    [Math.floor((Math.abs(seconds) % 86_400) / 3600), 'h'],
    [Math.floor((Math.abs(seconds) % 3600) / 60), 'min'],
    [Math.floor(Math.abs(seconds) % 60), 's'],
  ] as const;
  const text = parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ');
  return `${text} ${seconds < 0 ? 'behind' : 'ahead of'}`;
}

/** Shown while the clock is not that of the machine. */
export function ClockPill({ onOpen }: { onOpen(): void }) {
  const { data: clock } = useClock();
  const now = useServerNow();
  if (!isClockChanged(clock) || now === undefined) return undefined;
  const time = formatTime(new Date(now).toISOString());
  return (
    <Button
      size="compact-sm"
      className="pill pill-warning pill-clock"
      leftSection={<Icon name="clock" />}
      onClick={onOpen}
    >
      <span className="bar-text numbers">{time}</span>
      {clock.frozen ? <span className="bar-text"> frozen</span> : undefined}
    </Button>
  );
}

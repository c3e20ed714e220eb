/** Restricts a list to a span of time by the server's clock: a preset, or two times in UTC. */
import { Button, Group, Popover, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Icon } from '../icon.tsx';
import { formatTime, useServerNow } from '../server-time.tsx';

export interface TimeSpan {
  /** Times in ISO 8601, as in the URL. */
  readonly since: string | undefined;
  readonly until: string | undefined;
}

interface TimeRangeProps extends TimeSpan {
  onChange(span: TimeSpan): void;
}

const hour = 3_600_000;
const presets = [
  { label: 'Last hour', length: hour },
  { label: 'Last day', length: 24 * hour },
  { label: 'Last week', length: 7 * 24 * hour },
];

export function TimeRange({ since, until, onChange }: TimeRangeProps) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const text = describeSpan({ since, until });
  const apply = (span: TimeSpan) => {
    onChange(span);
    close();
  };
  return (
    <Popover position="bottom-start" width={300} trapFocus opened={isOpen} onDismiss={close}>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<Icon name="clock" />}
          aria-label={`Time: ${text ?? 'any'}`}
          title={text}
          onClick={toggle}
        >
          {text ?? 'Time'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Time">
        <SpanForm since={since} until={until} onChange={apply} />
      </Popover.Dropdown>
    </Popover>
  );
}

function SpanForm({ since, until, onChange }: TimeRangeProps) {
  const now = useServerNow();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        onChange({ since: readInstant(fields.get('since')), until: readInstant(fields.get('until')) });
      }}
    >
      <Stack gap="sm">
        <Group gap="xs" grow preventGrowOverflow={false}>
          {presets.map(({ label, length }) => (
            <Button
              key={label}
              size="compact-sm"
              variant="default"
              disabled={now === undefined}
              onClick={() => onChange({ since: formatInstant((now ?? 0) - length), until: undefined })}
            >
              {label}
            </Button>
          ))}
        </Group>
        <TimeInput label="Since (UTC)" name="since" value={since} />
        <TimeInput label="Until (UTC)" name="until" value={until} />
        <Group gap="xs" justify="flex-end">
          <Button variant="subtle" onClick={() => onChange({ since: undefined, until: undefined })}>
            Any time
          </Button>
          <Button type="submit">Apply</Button>
        </Group>
      </Stack>
    </form>
  );
}

interface TimeInputProps {
  readonly label: string;
  readonly name: string;
  readonly value: string | undefined;
}

function TimeInput({ value = '', ...props }: TimeInputProps) {
  return <TextInput {...props} type="datetime-local" step={1} defaultValue={value.replace(/(\.\d+)?Z$/, '')} />;
}

function readInstant(text: FormDataEntryValue | null): string | undefined {
  const time = Date.parse(`${String(text)}Z`);
  return Number.isNaN(time) ? undefined : formatInstant(time);
}

function formatInstant(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}

function describeSpan({ since, until }: TimeSpan): string | undefined {
  const [from, to] = [since, until].map((at) => at && formatShort(at));
  if (from !== undefined && to !== undefined) return `${from.replace(' UTC', '')} to ${to}`;
  if (from !== undefined) return `since ${from}`;
  return to === undefined ? undefined : `until ${to}`;
}

/** Without seconds that are zero. A text in the URL that is no time stays as it is. */
function formatShort(at: string): string {
  return Number.isNaN(Date.parse(at)) ? at : formatTime(at).replace(/:00 UTC$/, ' UTC');
}

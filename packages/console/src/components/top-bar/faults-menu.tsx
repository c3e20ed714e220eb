/** The active fault rules, each with a button that removes it. Hidden while there are none. */
import { Button, Group, Popover, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { useChanged } from '../../api/use-changed.ts';
import { useRead } from '../../api/use-read.ts';
import { Icon } from '../icon.tsx';
import { PermittedButton } from '../permitted-button.tsx';
import { describeEffect } from '../texts/describe-effect.ts';
import { formatCount } from '../texts/format-count.ts';

export function useFaults(options: { readonly refetchInterval: number }) {
  return useRead(['faults'], ({ control }, signal) => control.GET('/faults', { signal }), options);
}

/** Removes one fault, or all. */
export function useFaultRemoval() {
  const { control } = useConsole();
  const changed = useChanged(['faults']);
  return useMutation({
    mutationFn: (id: string | undefined) => unwrap(control.DELETE('/faults', { params: { query: { id } } })),
    onSettled: changed,
  });
}

export function FaultsMenu() {
  const { data = [] } = useFaults({ refetchInterval: 10_000 });
  const faults = data.filter((fault) => !isUsedUp(fault));
  const remove = useFaultRemoval();
  if (faults.length === 0) return undefined;
  return (
    <Popover position="bottom-end" width={360} trapFocus>
      <Popover.Target>
        <Button size="compact-sm" className="pill pill-warning" leftSection={<Icon name="faults" />}>
          {faults.length}
          <span className="bar-text">{faults.length === 1 ? ' fault' : ' faults'}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {faults.map(({ id, effect, applied, ...rule }) => (
            <Group key={id} justify="space-between" wrap="nowrap">
              <Text component="div" size="sm" miw={0} style={{ overflowWrap: 'anywhere' }}>
                {describeTarget(rule)}
                <Text size="sm" c="dimmed">
                  {describeEffect(effect)} · {describeApplied({ ...rule, applied })}
                </Text>
              </Text>
              <PermittedButton
                operation="DELETE /_iam/faults"
                size="compact-sm"
                variant="default"
                flex="none"
                aria-label={`Remove the fault of ${describeTarget(rule)}`}
                onClick={() => remove.mutate(id)}
              >
                Remove
              </PermittedButton>
            </Group>
          ))}
          <PermittedButton operation="DELETE /_iam/faults" variant="default" onClick={() => remove.mutate(undefined)}>
            Remove all
          </PermittedButton>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Whether it has affected as many requests as it may. */
export function isUsedUp({ times, applied }: { readonly times?: number; readonly applied: number }): boolean {
  return times !== undefined && applied >= times;
}

export function describeApplied({ times, applied }: { readonly times?: number; readonly applied: number }): string {
  return times === undefined ? `applied ${formatCount(applied, 'time')}` : `applied ${applied} of ${times} times`;
}

export function describeTarget({
  operation,
  target,
}: {
  readonly operation?: string;
  readonly target?: string;
}): string {
  return operation ?? target ?? 'all operations';
}

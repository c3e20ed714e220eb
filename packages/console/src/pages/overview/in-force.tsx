/** What makes the server behave in another way than usual: faults, and a clock that was changed. */

import { Anchor, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../components/icon.tsx';
import { formatTime, useClock, useServerNow } from '../../components/server-time.tsx';
import { describeEffect } from '../../components/texts/describe-effect.ts';
import { describeClock, isClockChanged } from '../../components/top-bar/clock-dialog.tsx';
import { describeApplied, describeTarget, isUsedUp, useFaults } from '../../components/top-bar/faults-menu.tsx';
import { Panel } from './panel.tsx';

export function InForce() {
  const { data = [] } = useFaults({ refetchInterval: 10_000 });
  const faults = data.filter((fault) => !isUsedUp(fault));
  const { data: clock } = useClock();
  const now = useServerNow();
  const isChanged = isClockChanged(clock);
  return (
    <Panel title="In force" icon="faults" link={{ to: '/faults', label: 'Faults' }}>
      {faults.length === 0 && !isChanged ? <Text c="dimmed">No faults, and the time of this machine.</Text> : undefined}
      {faults.map(({ id, effect, ...rule }) => (
        <Group key={id} gap="xs" wrap="nowrap" align="flex-start" className="in-force">
          <Icon name="faults" />
          <Text style={{ overflowWrap: 'anywhere' }}>
            <Anchor component={Link} to="/faults" underline="always" inherit>
              {describeTarget(rule)}
            </Anchor>
            : {describeEffect(effect)}{' '}
            <Text span inherit c="dimmed">
              · {describeApplied(rule)}
            </Text>
          </Text>
        </Group>
      ))}
      {isChanged && now !== undefined ? (
        <Group gap="xs" wrap="nowrap" align="flex-start" className="in-force">
          <Icon name="clock" />
          <Text className="numbers">
            {formatTime(new Date(now).toISOString())}. {describeClock(clock)}
          </Text>
        </Group>
      ) : undefined}
    </Panel>
  );
}

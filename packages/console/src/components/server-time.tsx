/** A time of the server's clock, which may differ from the clock of this machine. */
import { Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { useConsole } from '../api/console-context.ts';
import { unwrap } from '../api/errors.ts';
import { formatLocalTime } from './texts/local-time.ts';

export function useClock() {
  const { control, now } = useConsole();
  return useQuery({
    queryKey: ['clock'],
    queryFn: async ({ signal }) => {
      const clock = await unwrap(control.GET('/clock', { signal }));
      return { ...clock, readAt: now() };
    },
    refetchInterval: 30_000,
  });
}

const ServerNow = createContext<number | undefined>(undefined);

/** Updates the time of the server each second, once for all that is in it. */
export function ServerClock({ children }: { readonly children: ReactNode }) {
  const { now } = useConsole();
  const { data: clock } = useClock();
  const [, tick] = useState(0);
  useInterval(() => tick((count) => count + 1), 1000, { autoInvoke: true });
  const current = clock && Date.parse(clock.now) + (clock.frozen ? 0 : now() - clock.readAt);
  return <ServerNow value={current}>{children}</ServerNow>;
}

/** The current time of the server in milliseconds; undefined until it is known. */
export function useServerNow(): number | undefined {
  return useContext(ServerNow);
}

/** In lists and sentences, the distance of a time from the server's time: "2 min ago", "in 5 min". */
export function RelativeTime({ at }: { readonly at: string }) {
  const now = useServerNow();
  return (
    <time dateTime={at} title={[formatTime(at), formatLocalTime(at)].filter(Boolean).join(', ')}>
      {now === undefined ? formatTime(at) : formatDistance(Date.parse(at) - now)}
    </time>
  );
}

/** In boxes of facts, each time in one format: UTC, then that of the reader, and its distance from the server's time. */
export function ServerTime({ at }: { readonly at: string }) {
  const now = useServerNow();
  const asides = [formatLocalTime(at), now === undefined ? undefined : formatDistance(Date.parse(at) - now)];
  return (
    <time dateTime={at}>
      {formatTime(at)}{' '}
      <Text span inherit c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        ({asides.filter((aside) => aside !== undefined).join(', ')})
      </Text>
    </time>
  );
}

export function formatTime(at: string): string {
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** @param distance in milliseconds; negative for the past */
function formatDistance(distance: number): string {
  const size = Math.abs(distance);
  const [unit, length] = units.find(([, milliseconds]) => size >= milliseconds) ?? ['s', 1000];
  const count = Math.floor(size / length);
  if (count === 0) return 'now';
  return distance < 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`;
}

/** The last messages of the inbox, and how many of them were sent since the inbox was last open in this tab. */
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { mayReadInbox } from '../../api/live/live-events.ts';

/** More are shown as "9+". */
const limit = 10;

export function useLatestMessages() {
  const { control, credentials } = useConsole();
  const { data = [] } = useQuery({
    queryKey: ['inbox', 'latest'],
    // Not the permission of the last render, which a login changes.
    queryFn: ({ signal }) =>
      mayReadInbox(credentials) ? unwrap(control.GET('/inbox', { params: { query: { limit } }, signal })) : [],
  });
  return data;
}

/** Ids of messages increase with time. */
export function useUnreadCount(): number {
  const { location } = useConsole();
  const { pathname } = useLocation();
  const messages = useLatestMessages();
  const key = `iam-console-inbox${location.basePath}`;
  const isOpen = /\/inbox(\/|$)/.test(pathname);
  const latest = messages[0]?.id;
  useEffect(() => {
    if (isOpen && latest !== undefined) sessionStorage.setItem(key, latest);
  }, [isOpen, latest, key]);
  if (isOpen) return 0;
  const seen = sessionStorage.getItem(key) ?? '';
  return messages.filter(({ id }) => id > seen).length;
}

export function formatUnread(count: number): string {
  return count >= limit ? `${limit - 1}+` : String(count);
}

/** Which messages were opened in this tab: the others are unread. */
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';

/** Of more, the oldest are deleted. */
const maxStored = 500;

export interface OpenedMessages {
  isUnread(id: string): boolean;
  markRead(id: string): void;
}

export function useOpenedMessages(): OpenedMessages {
  const { location } = useConsole();
  const key = `iam-console-opened${location.basePath}`;
  const [opened, setOpened] = useState(() => new Set((sessionStorage.getItem(key) ?? '').split(' ')));
  return {
    isUnread: (id) => !opened.has(id),
    markRead(id) {
      if (opened.has(id)) return;
      const ids = [...opened, id].slice(-maxStored);
      sessionStorage.setItem(key, ids.join(' '));
      setOpened(new Set(ids));
    },
  };
}

/** Keyboard shortcuts of all pages: `/` focuses the search, `g` and a letter opens a page. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { pageList } from '../pages/page-list.ts';

/** After `g`, the letter must follow within this time, in milliseconds. */
const sequenceTime = 1500;

export function usePageShortcuts(): void {
  const navigate = useNavigate();
  useEffect(() => {
    let prefixAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event.target)) return;
      if (event.key === '/') {
        focusSearch(event);
        return;
      }
      const page = pageList.find(({ key }) => key === event.key);
      if (page && event.timeStamp - prefixAt < sequenceTime) void navigate({ to: page.path });
      prefixAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate]);
}

/** Whether the key is for a field or a dialog. */
function isElsewhere(target: EventTarget | null): boolean {
  const selector = 'input, textarea, select, [contenteditable="true"], [role="dialog"]';
  return target instanceof HTMLElement && target.closest(selector) !== null;
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
}

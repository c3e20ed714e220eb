/** Keyboard shortcuts of all pages: `/` focuses the search, `g` and a letter opens a page, Ctrl-K and `?` open dialogs. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isKeyElsewhere } from '../components/keys/use-keys.ts';
import type { FrameDialog } from '../components/top-bar/server-menu.tsx';
import { pageList } from '../pages/page-list.ts';

/** After `g`, the letter must follow within this time, in milliseconds. */
const sequenceTime = 1500;

/** @param onOpen constant */
export function usePageShortcuts(onOpen: (dialog: FrameDialog) => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    let prefixAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      if (isPaletteKey(event)) {
        // Browsers search with it.
        event.preventDefault();
        onOpen('palette');
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isKeyElsewhere(event.target)) return;
      if (event.key === '/') {
        event.preventDefault();
        if (!focusSearch()) onOpen('palette');
        return;
      }
      if (event.key === '?') onOpen('keys');
      const page = pageList.find(({ key }) => key === event.key);
      if (page && event.timeStamp - prefixAt < sequenceTime) {
        // No key of the page.
        event.preventDefault();
        void navigate({ to: page.path });
      }
      prefixAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate, onOpen]);
}

/** Also in a field, but not in a dialog, which may have a text that is not sent yet. */
function isPaletteKey({ key, ctrlKey, metaKey, target }: KeyboardEvent): boolean {
  const isInDialog = target instanceof HTMLElement && target.closest('[role="dialog"]') !== null;
  return key === 'k' && (ctrlKey || metaKey) && !isInDialog;
}

/** Returns false if the page has no search field. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  field?.focus();
  field?.select();
  return field !== null;
}

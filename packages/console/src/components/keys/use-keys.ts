/** Keys of a page, without modifiers, unless they are for a field or a dialog. */
import { useEffect, useRef } from 'react';

/** By the name of the key. */
type KeyHandlers = Readonly<Record<string, (() => void) | undefined>>;

export function useKeys(handlers: KeyHandlers): void {
  const current = useRef(handlers);
  current.current = handlers;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event;
      // Such as the second key of a page.
      if (defaultPrevented || ctrlKey || metaKey || altKey || isKeyElsewhere(target)) return;
      const handler = current.current[key];
      if (!handler) return;
      event.preventDefault();
      handler();
    };
    // After the keys of all pages, which the document has.
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Whether a key is for a field, a dialog or a menu. A checkbox uses Space only. */
export function isKeyElsewhere(target: EventTarget | null): boolean {
  const selector =
    'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="dialog"], [role="menu"]';
  return target instanceof HTMLElement && target.closest(selector) !== null;
}

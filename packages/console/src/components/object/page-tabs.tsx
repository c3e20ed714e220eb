/** Views of one object, or of the same objects, each with its own address: Back returns to the previous one. */
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

interface PageTabsProps {
  /** What the views are of. */
  readonly label: string;
  /** The parameter of the URL; the first view is without it. */
  readonly param: string;
  /** By their values in the URL. */
  readonly titles: Readonly<Record<string, string>>;
  readonly current: string;
}

export function PageTabs({ label, param, titles, current }: PageTabsProps) {
  const { pathname } = useLocation();
  const tabs = useRef<HTMLElement>(null);
  // On a phone, the current one may be beside what is visible of them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each view that opens
  useEffect(() => {
    const tab = tabs.current?.querySelector<HTMLElement>('[aria-current]');
    if (tab) tabs.current?.scrollTo({ left: tab.offsetLeft + tab.offsetWidth - tabs.current.clientWidth });
  }, [current]);
  return (
    <nav className="tabs" aria-label={label} ref={tabs}>
      {Object.entries(titles).map(([name, title], at) => (
        <Link
          key={name}
          to={pathname}
          search={(at === 0 ? {} : { [param]: name }) as never}
          // Only the tab that is shown is current: without it, also one whose parameters are a part of the address.
          activeOptions={{ exact: true }}
          aria-current={name === current ? 'page' : undefined}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}

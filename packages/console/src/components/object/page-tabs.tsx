/** Views of one object, or of the same objects, each with its own address: Back returns to the previous one. */
import { Link, useLocation } from '@tanstack/react-router';

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
  return (
    <nav className="tabs" aria-label={label}>
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

/** The pages of the console under the headings of their sections. */
import { NavLink, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { Icon } from '../components/icon.tsx';
import { formatUnread } from '../components/top-bar/use-latest-messages.ts';
import { type MenuSectionName, pageList, pageSections } from '../pages/page-list.ts';

interface PageMenuProps {
  readonly pathname: string;
  /** Messages that were sent since the inbox was open. */
  readonly unread: number;
  readonly onOpen: () => void;
}

/** Lists the pages of each section. A choice also closes the menu on narrow screens. */
export function PageMenu(props: PageMenuProps) {
  return pageSections.map((section) => <MenuSection key={section} section={section} {...props} />);
}

function MenuSection({ section, pathname, unread, onOpen }: PageMenuProps & { readonly section: MenuSectionName }) {
  const headingId = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls, these are links.
    <div role="group" aria-labelledby={headingId}>
      <Text id={headingId} size="xs" c="dimmed" px="xs" pt="sm" pb={4}>
        {section}
      </Text>
      {pageList
        .filter((page) => page.section === section)
        .map(({ path, title, key, icon }) => (
          <NavLink
            key={path}
            component={Link}
            to={path}
            label={title}
            leftSection={<Icon name={icon} />}
            rightSection={path === '/inbox' && unread > 0 ? <UnreadCount count={unread} /> : undefined}
            active={pathname.includes(`/_iam/console${path}`) || pathname.startsWith(path)}
            onClick={onOpen}
            aria-keyshortcuts={`g ${key}`}
          />
        ))}
    </div>
  );
}

/** Beside the name of the page, no part of it. */
function UnreadCount({ count }: { readonly count: number }) {
  return (
    <span className="unread" aria-hidden>
      {formatUnread(count)}
    </span>
  );
}

/** The pages of the console under the headings of their sections. */
import { NavLink, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { type MenuSectionName, pageList, pageSections } from '../pages/page-list.ts';

interface PageMenuProps {
  readonly pathname: string;
  readonly onOpen: () => void;
}

/** Lists the pages of each section. A choice also closes the menu on narrow screens. */
export function PageMenu(props: PageMenuProps) {
  return pageSections.map((section) => <MenuSection key={section} section={section} {...props} />);
}

function MenuSection({ section, pathname, onOpen }: PageMenuProps & { readonly section: MenuSectionName }) {
  const headingId = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls, these are links.
    <div role="group" aria-labelledby={headingId}>
      <Text id={headingId} size="xs" fw={600} px="sm" pt="xs" pb={2}>
        {section}
      </Text>
      {pageList
        .filter((page) => page.section === section)
        .map(({ path, title, key }) => (
          <NavLink
            key={path}
            component={Link}
            to={path}
            label={title}
            py={5}
            active={pathname.includes(`/_iam/console${path}`) || pathname.startsWith(path)}
            onClick={onOpen}
            aria-keyshortcuts={`g ${key}`}
          />
        ))}
    </div>
  );
}

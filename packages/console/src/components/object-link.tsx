/** Links to the pages of objects. */
import { Anchor } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface ObjectLinkProps {
  readonly page: string;
  readonly id: string;
  readonly className?: string;
  readonly children?: ReactNode;
}

/** A link to the page of one object. The id is part of the path, so it is encoded by the router. */
export function ObjectLink({ page, id, className, children = id }: ObjectLinkProps) {
  if (!usePageExists(page)) return <span className={className}>{children}</span>;
  return (
    <Anchor
      component={Link}
      to={`${page}/$`}
      params={{ _splat: id } as never}
      underline={className === undefined ? 'always' : 'hover'}
      inherit
      {...(className === undefined ? {} : { className })}
    >
      {children}
    </Anchor>
  );
}

/** Whether the console has this page. The router knows it; the list of pages imports the pages, and they this file. */
function usePageExists(page: string): boolean {
  return page in useRouter().routesByPath;
}

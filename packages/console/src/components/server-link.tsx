/** A link to what the server serves beside the console, in a tab of its own: what was typed stays, also while the server is down. */
import { Anchor } from '@mantine/core';
import { useConsole } from '../api/console-context.ts';
import { Icon } from './icon.tsx';

interface ServerLinkProps {
  /** Below the server or sandbox that the console shows. */
  readonly path: string;
  readonly children: string;
}

export function ServerLink({ path, children }: ServerLinkProps) {
  return (
    <Anchor {...useServerLink(path)}>
      {children} <Icon name="external" />
    </Anchor>
  );
}

/** The props of such a link that is another component. */
export function useServerLink(path: string) {
  const { location } = useConsole();
  return { href: `${location.basePath}${path}`, target: '_blank', rel: 'noreferrer' };
}

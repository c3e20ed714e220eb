/**
 * A component whose files are loaded when it is first shown, or ahead of that. Without them, for example because the server
 * is down, a panel is in its place: the page with what was typed, and the login in its memory, remain.
 */
import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { type ComponentType, type FunctionComponent, useCallback, useEffect, useState } from 'react';
import { consoleRequestOptions } from '../../api/clients.ts';
import { useConsole } from '../../api/console-context.ts';
import { consoleUrlOf, readConsoleLocation } from '../../api/location.ts';

export type LoadComponent<Props> = () => Promise<{ readonly default: ComponentType<Props> }>;

export type LazyComponent<Props> = FunctionComponent<Props> & {
  /** Loads the files if they are missing. The router waits for it before it leaves the page that is open. */
  preload(): Promise<void>;
  /** Loads the files of a server that is known to respond. */
  prefetch(): Promise<void>;
};

/** @param title what is shown: `Users` */
export function createLazyComponent<Props extends object>(
  title: string,
  load: LoadComponent<Props>,
): LazyComponent<Props> {
  let Loaded: ComponentType<Props> | undefined;
  const prefetch = async () => {
    Loaded ??= (await load()).default;
  };
  const loadOnce = async () => {
    if (Loaded === undefined) await assertServerResponds();
    await prefetch();
  };
  function LazyComponent(props: Props) {
    const { isLoaded, ...state } = useLoading(Loaded !== undefined, loadOnce);
    return Loaded !== undefined && isLoaded ? <Loaded {...props} /> : <LoadingState title={title} {...state} />;
  }
  // Its failure is shown in place of the component.
  return Object.assign(LazyComponent, { preload: () => loadOnce().catch(() => {}), prefetch });
}

/** A file that could not be loaded is never requested again: the module map of the document stores the failure (HTML). */
export async function assertServerResponds(): Promise<void> {
  await fetch(consoleUrlOf(readConsoleLocation(window.location.pathname)), consoleRequestOptions);
}

type Failure = 'unreachable' | 'missing';

/** Loads the files, and again when the server responds again. */
function useLoading(isInitiallyLoaded: boolean, load: () => Promise<void>) {
  const { liveEvents } = useConsole();
  const [isLoaded, setLoaded] = useState(isInitiallyLoaded);
  const [failure, setFailure] = useState<Failure | undefined>();
  const retry = useCallback(
    () =>
      load().then(
        () => setLoaded(true),
        () =>
          assertServerResponds().then(
            () => setFailure('missing'),
            () => setFailure('unreachable'),
          ),
      ),
    [load],
  );
  useEffect(() => {
    if (isLoaded) return undefined;
    void retry();
    return liveEvents.subscribe((event) => event === 'connected' && void retry());
  }, [isLoaded, retry, liveEvents]);
  return { isLoaded, failure, retry };
}

const explanations: Readonly<Record<Failure, string>> = {
  unreachable:
    'Its files have not been loaded yet, and the server does not respond. They are loaded as soon as it responds.',
  missing:
    'Its files could not be loaded: the server has another version, or the connection broke. Reload the console.',
};

function LoadingState({
  title,
  failure,
  retry,
}: {
  title: string;
  failure: Failure | undefined;
  retry(): Promise<void>;
}) {
  if (failure === undefined) return <Loader size="sm" m="md" aria-label="Loading" />;
  return (
    <Alert color="orange" variant="light" role="alert" title={`${title} cannot be opened now`}>
      <Text>{explanations[failure]}</Text>
      <Group gap="xs" mt="xs">
        {failure === 'missing' ? (
          <Button size="compact-sm" variant="default" onClick={() => window.location.reload()}>
            Reload the console
          </Button>
        ) : (
          <Button size="compact-sm" variant="default" onClick={() => void retry()}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}

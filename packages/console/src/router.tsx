/** The routes of the console: one for each page, with the rest of the path as its parameter. */
import { createRootRoute, createRoute, createRouter, Navigate, type RouterHistory } from '@tanstack/react-router';
import { createLazyComponent } from './components/lazy/lazy-component.tsx';
import { usePrefetch } from './components/lazy/use-prefetch.ts';
import { ServerClock } from './components/server-time.tsx';
import { ToastProvider } from './components/toasts/toasts.tsx';
import { Frame } from './frame/frame.tsx';
import { NotFound } from './frame/not-found.tsx';
import { RenderError } from './frame/render-error.tsx';
import { LazyGroupCanvas } from './pages/groups/graph/lazy-group-canvas.ts';
import { pageList } from './pages/page-list.ts';

/** Filters are text in the URL. */
export type PageSearch = Readonly<Record<string, string | undefined>>;

/** A filter that is emptied is undefined, which is no text. */
function validateSearch(search: Record<string, unknown>): PageSearch {
  return Object.fromEntries(listFilters(search));
}

function listFilters(search: Record<string, unknown>): [string, string][] {
  return Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)] as [string, string]],
  );
}

const pages = pageList.map(({ path, title, load }) => ({ path, component: createLazyComponent(title, load) }));
const prefetched = [
  ...pages.map(({ component }) => component),
  LazyGroupCanvas,
  { prefetch: () => import('./api/error-hints.ts') },
];

function Root() {
  usePrefetch(prefetched);
  return (
    <ToastProvider>
      <ServerClock>
        <Frame />
      </ServerClock>
    </ToastProvider>
  );
}

const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFound, errorComponent: RenderError });

const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: () => <Navigate to={pageList[0]?.path ?? '/'} replace />,
});

/** Each page has two: its own path, and the paths below it. With one component, a list keeps its focus and position. */
const pageRoutes = pages.flatMap(({ path, component }) =>
  [path, `${path}/$`].map((at) =>
    createRoute({ getParentRoute: () => rootRoute, path: at, validateSearch, component }),
  ),
);

/** @param history of the browser if missing */
export function createConsoleRouter(consolePath: string, history?: RouterHistory) {
  return createRouter({
    routeTree: rootRoute.addChildren([indexRoute, ...pageRoutes]),
    basepath: consolePath,
    ...(history ? { history } : {}),
    // Values stay as typed: numbers and JSON are not decoded.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: formatSearch,
  });
}

function formatSearch(search: Record<string, unknown>): string {
  const text = new URLSearchParams(listFilters(search)).toString();
  return text === '' ? '' : `?${text}`;
}

/** The pages of the console, in the order of the menu: the source of the menu, the keyboard shortcuts and the router. */
import type { ComponentType } from 'react';

/** The headings of the menu, in its order. */
export const pageSections = ['Activity', 'Directory', 'Server'] as const;
export type MenuSectionName = (typeof pageSections)[number];

export interface PageEntry {
  /** Below the console, without parameters. */
  readonly path: string;
  readonly title: string;
  readonly section: MenuSectionName;
  /** The letter after `g` that opens the page. */
  readonly key: string;
  /** Loads the page when it is opened. Its own parameters follow the path: `/users/$`. */
  load(): Promise<{ readonly default: ComponentType }>;
}

export const pageList: readonly PageEntry[] = [
  { path: '/inbox', title: 'Inbox', section: 'Activity', key: 'i', load: () => import('./inbox/inbox-page.tsx') },
  {
    path: '/requests',
    title: 'Requests',
    section: 'Activity',
    key: 'r',
    load: () => import('./requests/requests-page.tsx'),
  },
  { path: '/tokens', title: 'Tokens', section: 'Activity', key: 't', load: () => import('./tokens/tokens-page.tsx') },
  {
    path: '/sessions',
    title: 'Sessions',
    section: 'Activity',
    key: 'e',
    load: () => import('./sessions/sessions-page.tsx'),
  },
  { path: '/users', title: 'Users', section: 'Directory', key: 'u', load: () => import('./users/users-page.tsx') },
  { path: '/groups', title: 'Groups', section: 'Directory', key: 'g', load: () => import('./groups/groups-page.tsx') },
  {
    path: '/businesses',
    title: 'Businesses',
    section: 'Directory',
    key: 'b',
    load: () => import('./businesses/businesses-page.tsx'),
  },
  {
    path: '/customers',
    title: 'Customers',
    section: 'Directory',
    key: 'o',
    load: () => import('./customers/customers-page.tsx'),
  },
  {
    path: '/corporate-groups',
    title: 'Corporate groups',
    section: 'Directory',
    key: 'p',
    load: () => import('./corporate-groups/corporate-groups-page.tsx'),
  },
  {
    path: '/clients',
    title: 'Clients',
    section: 'Directory',
    key: 'c',
    load: () => import('./clients/clients-page.tsx'),
  },
  {
    path: '/api-keys',
    title: 'API keys',
    section: 'Directory',
    key: 'k',
    load: () => import('./api-keys/api-keys-page.tsx'),
  },
  { path: '/faults', title: 'Faults', section: 'Server', key: 'f', load: () => import('./faults/faults-page.tsx') },
  { path: '/state', title: 'State', section: 'Server', key: 's', load: () => import('./state/state-page.tsx') },
  {
    path: '/coverage',
    title: 'Coverage',
    section: 'Server',
    key: 'v',
    load: () => import('./contract-coverage/coverage-page.tsx'),
  },
  { path: '/metrics', title: 'Metrics', section: 'Server', key: 'm', load: () => import('./metrics/metrics-page.tsx') },
  {
    path: '/settings',
    title: 'Settings',
    section: 'Server',
    key: 'x',
    load: () => import('./settings/settings-page.tsx'),
  },
];

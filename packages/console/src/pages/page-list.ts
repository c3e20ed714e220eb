/** The pages of the console, in the order of the menu: the source of the menu, the keyboard shortcuts and the router. */
import type { ComponentType } from 'react';
import type { IconName } from '../components/icon.tsx';

/** The headings of the menu, in its order. */
export const pageSections = ['Activity', 'Directory', 'Server'] as const;
export type MenuSectionName = (typeof pageSections)[number];

export interface PageEntry {
  /** Below the console, without parameters. */
  readonly path: string;
  readonly title: string;
  readonly section: MenuSectionName;
  readonly icon: IconName;
  /** The letter after `g` that opens the page. */
  readonly key: string;
  /** Loads the page when it is opened. Its own parameters follow the path: `/users/$`. */
  load(): Promise<{ readonly default: ComponentType }>;
}

export const pageList: readonly PageEntry[] = [
  {
    path: '/overview',
    title: 'Overview',
    section: 'Activity',
    icon: 'overview',
    key: 'h',
    load: () => import('./overview/overview-page.tsx'),
  },
  {
    path: '/inbox',
    title: 'Inbox',
    section: 'Activity',
    icon: 'inbox',
    key: 'i',
    load: () => import('./inbox/inbox-page.tsx'),
  },
  {
    path: '/requests',
    title: 'Requests',
    section: 'Activity',
    icon: 'requests',
    key: 'r',
    load: () => import('./requests/requests-page.tsx'),
  },
  {
    path: '/audit',
    title: 'Audit',
    section: 'Activity',
    icon: 'audit',
    key: 'a',
    load: () => import('./audit/audit-page.tsx'),
  },
  {
    path: '/tokens',
    title: 'Tokens',
    section: 'Activity',
    icon: 'tokens',
    key: 't',
    load: () => import('./tokens/tokens-page.tsx'),
  },
  {
    path: '/sessions',
    title: 'Sessions',
    section: 'Activity',
    icon: 'sessions',
    key: 'e',
    load: () => import('./sessions/sessions-page.tsx'),
  },
  {
    path: '/users',
    title: 'Users',
    section: 'Directory',
    icon: 'users',
    key: 'u',
    load: () => import('./users/users-page.tsx'),
  },
  {
    path: '/groups',
    title: 'Groups',
    section: 'Directory',
    icon: 'groups',
    key: 'g',
    load: () => import('./groups/groups-page.tsx'),
  },
  {
    path: '/businesses',
    title: 'Businesses',
    section: 'Directory',
    icon: 'businesses',
    key: 'b',
    load: () => import('./businesses/businesses-page.tsx'),
  },
  {
    path: '/customers',
    title: 'Customers',
    section: 'Directory',
    icon: 'customers',
    key: 'o',
    load: () => import('./customers/customers-page.tsx'),
  },
  {
    path: '/corporate-groups',
    title: 'Corporate groups',
    section: 'Directory',
    icon: 'corporate-groups',
    key: 'p',
    load: () => import('./corporate-groups/corporate-groups-page.tsx'),
  },
  {
    path: '/clients',
    title: 'Clients',
    section: 'Directory',
    icon: 'clients',
    key: 'c',
    load: () => import('./clients/clients-page.tsx'),
  },
  {
    path: '/api-keys',
    title: 'API keys',
    section: 'Directory',
    icon: 'api-keys',
    key: 'k',
    load: () => import('./api-keys/api-keys-page.tsx'),
  },
  {
    path: '/faults',
    title: 'Faults',
    section: 'Server',
    icon: 'faults',
    key: 'f',
    load: () => import('./faults/faults-page.tsx'),
  },
  {
    path: '/state',
    title: 'State',
    section: 'Server',
    icon: 'state',
    key: 's',
    load: () => import('./state/state-page.tsx'),
  },
  {
    path: '/coverage',
    title: 'Coverage',
    section: 'Server',
    icon: 'coverage',
    key: 'v',
    load: () => import('./contract-coverage/coverage-page.tsx'),
  },
  {
    path: '/metrics',
    title: 'Metrics',
    section: 'Server',
    icon: 'metrics',
    key: 'm',
    load: () => import('./metrics/metrics-page.tsx'),
  },
  {
    path: '/settings',
    title: 'Settings',
    section: 'Server',
    icon: 'settings',
    key: 'x',
    load: () => import('./settings/settings-page.tsx'),
  },
];

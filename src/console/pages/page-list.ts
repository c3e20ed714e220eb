/** The pages of the console, in the order of the menu: the source of the menu, the keyboard shortcuts and the router. */
import type { ComponentType } from 'react';

export interface PageEntry {
  /** Below the console, without parameters. */
  readonly path: string;
  readonly title: string;
  /** The letter after `g` that opens the page. */
  readonly key: string;
  /** Loads the page when it is opened. Its own parameters follow the path: `/users/$`. */
  load(): Promise<{ readonly default: ComponentType }>;
}

export const pageList: readonly PageEntry[] = [
  { path: '/inbox', title: 'Inbox', key: 'i', load: () => import('./inbox/inbox-page.tsx') },
  { path: '/requests', title: 'Requests', key: 'r', load: () => import('./requests/requests-page.tsx') },
  { path: '/users', title: 'Users', key: 'u', load: () => import('./users/users-page.tsx') },
  { path: '/groups', title: 'Groups', key: 'g', load: () => import('./groups/groups-page.tsx') },
  {
    path: '/businesses',
    title: 'Businesses',
    key: 'b',
    load: () => import('./businesses/businesses-page.tsx'),
  },
  { path: '/customers', title: 'Customers', key: 'o', load: () => import('./customers/customers-page.tsx') },
  {
    path: '/corporate-groups',
    title: 'Corporate groups',
    key: 'p',
    load: () => import('./corporate-groups/corporate-groups-page.tsx'),
  },
  { path: '/clients', title: 'Clients', key: 'c', load: () => import('./clients/clients-page.tsx') },
  { path: '/api-keys', title: 'API keys', key: 'k', load: () => import('./api-keys/api-keys-page.tsx') },
  { path: '/tokens', title: 'Tokens', key: 't', load: () => import('./tokens/tokens-page.tsx') },
  { path: '/faults', title: 'Faults', key: 'f', load: () => import('./faults/faults-page.tsx') },
  { path: '/state', title: 'State', key: 's', load: () => import('./state/state-page.tsx') },
];

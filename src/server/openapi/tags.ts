/** Tags (areas) of the API documents, in display order. */

export interface ApiTag {
  /** The area of operation ids, or the name of a control-plane area. */
  readonly name: string;
  readonly description: string;
}

/** Tags of the interface: the first part of the operation ids. */
export const serviceTags: readonly ApiTag[] = [
  { name: 'client-identities', description: 'Clients: login and administration.' },
  { name: 'my-client-identities', description: 'Clients that belong to the calling client.' },
  { name: 'generate-token', description: 'One token endpoint for all grants.' },
  { name: 'user-identities', description: 'Users: login, MFA, passwords, mainframe logons and administration.' },
  { name: 'groups', description: 'Groups with their roles and dependencies.' },
  { name: 'user-accesses', description: 'Users in groups, and the roles that users have.' },
  { name: 'business-accesses', description: 'Businesses in groups, and the roles that businesses have.' },
  { name: 'service-accesses', description: 'Services in groups, and the roles that services have.' },
  { name: 'product-accesses', description: 'Opaque tokens for products.' },
  { name: 'customers', description: 'Customers: users and businesses.' },
  { name: 'corporate-groups', description: 'Groups of businesses.' },
  { name: 'api-key', description: 'API keys of clients.' },
  { name: 'keys', description: 'Public keys for token verification.' },
];

/** Tags of the OAuth endpoints outside the service prefix. */
export const oauthTags: readonly ApiTag[] = [
  { name: 'oauth2', description: 'Token revocation and introspection for OAuth 2.0 clients.' },
];

interface ControlTag extends ApiTag {
  /** First path segments of the area. */
  readonly paths: readonly string[];
}

/** Tags of the control plane. Paths that no area lists belong to the last one. */
const controlTagsByPath: readonly ControlTag[] = [
  { name: 'messages', paths: ['inbox'], description: 'One-time codes and notices that were sent.' },
  { name: 'clock', paths: ['clock'], description: 'The server clock.' },
  { name: 'sandboxes', paths: ['sandboxes'], description: 'Isolated services for parallel tests.' },
  {
    name: 'state',
    paths: ['state', 'seed', 'backup', 'backups'],
    description: 'All data of the server: reset, snapshots, export and import.',
  },
  { name: 'faults', paths: ['faults'], description: 'Fault injection.' },
  {
    name: 'requests',
    paths: ['requests', 'events', 'coverage', 'metrics', 'audit'],
    description: 'Request log, explanations, coverage and metrics.',
  },
  {
    name: 'lists',
    paths: ['users', 'clients', 'businesses', 'customers', 'groups', 'api-keys'],
    description: 'Lists that the interface does not provide.',
  },
  {
    name: 'sessions',
    paths: ['sessions', 'tokens', 'revoke', 'keys'],
    description: 'Sessions, tokens and signing keys.',
  },
  { name: 'server', paths: [], description: 'Settings and API documents of the server.' },
];

export const controlTags: readonly ApiTag[] = controlTagsByPath.map(({ name, description }) => ({ name, description }));

export function findControlTag(path: string): string {
  const [, first = ''] = path.split('/');
  return (controlTagsByPath.find(({ paths }) => paths.includes(first)) ?? controlTagsByPath.at(-1))?.name ?? first;
}

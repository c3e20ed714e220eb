/** The areas that the API documents are divided into, in the order in which somebody new meets them. */

export interface ApiTag {
  /** As it stands in ids of operations, or before the paths of the control plane. */
  readonly name: string;
  readonly description: string;
}

/** Of the interface: an area is the first word of the ids in it. */
export const serviceTags: readonly ApiTag[] = [
  { name: 'client-identities', description: 'Clients: tokens for them, and keeping them.' },
  { name: 'my-client-identities', description: 'Clients that belong to the calling client.' },
  { name: 'generate-token', description: 'One door for all grants.' },
  { name: 'user-identities', description: 'Users: logging in, second proofs, passwords, logons, and keeping them.' },
  { name: 'groups', description: 'Groups with their roles, and the groups they depend on.' },
  { name: 'user-accesses', description: 'Users in groups, and the roles that users have.' },
  { name: 'business-accesses', description: 'Businesses in groups, and the roles that businesses have.' },
  { name: 'service-accesses', description: 'Services in groups, and the roles that services have.' },
  { name: 'product-accesses', description: 'Opaque tokens for products.' },
  { name: 'customers', description: 'Customers: users and businesses.' },
  { name: 'corporate-groups', description: 'Businesses that belong together.' },
  { name: 'api-key', description: 'API keys of clients.' },
  { name: 'keys', description: 'Public keys that tokens are verified with.' },
];

interface ControlTag extends ApiTag {
  /** First words of the paths in it. */
  readonly paths: readonly string[];
}

/** Of the control plane. What no area names is in the last one. */
const controlTagsByPath: readonly ControlTag[] = [
  { name: 'messages', paths: ['inbox'], description: 'Codes and notices that were sent.' },
  { name: 'clock', paths: ['clock'], description: 'The time that the server goes by.' },
  { name: 'sandboxes', paths: ['sandboxes'], description: 'Services of their own, for tests that run side by side.' },
  {
    name: 'state',
    paths: ['state', 'backup', 'backups'],
    description: 'Everything that is kept: back to the seed, snapshots, export and import.',
  },
  { name: 'faults', paths: ['faults'], description: 'Failures on purpose.' },
  {
    name: 'calls',
    paths: ['requests', 'coverage', 'metrics', 'audit'],
    description: 'What was called, and why it was answered so.',
  },
  {
    name: 'lists',
    paths: ['users', 'clients', 'businesses', 'customers', 'groups'],
    description: 'Lists that the interface does not have.',
  },
  {
    name: 'sessions',
    paths: ['sessions', 'revoke', 'keys'],
    description: 'Who is signed in, tokens, and the keys that sign them.',
  },
  { name: 'server', paths: [], description: 'Settings and documents of the server.' },
];

export const controlTags: readonly ApiTag[] = controlTagsByPath.map(({ name, description }) => ({ name, description }));

/** The area of a route of the control plane, by its path. */
export function findControlTag(path: string): string {
  const [, first = ''] = path.split('/');
  return (controlTagsByPath.find(({ paths }) => paths.includes(first)) ?? controlTagsByPath.at(-1))?.name ?? first;
}

/** All kinds of resources, in the two orders that the engine uses. */
import type { Resource, Writable } from '../resource.ts';
import { apiKeyResource } from './api-key.ts';
import { clientResource } from './client.ts';
import { corporateGroupResource } from './corporate-group.ts';
import { customerResource } from './customer.ts';
import { groupResource } from './group.ts';
import { memberships } from './memberships.ts';

export { memberships, type OrphanedMembership } from './memberships.ts';

/** In dependency order: a resource refers only to resources of earlier kinds. */
export const resources: readonly Resource[] = [
  customerResource,
  clientResource,
  apiKeyResource,
  corporateGroupResource,
  groupResource,
];

/** In the order of a document. */
export const documentResources: readonly Resource[] = [
  groupResource,
  clientResource,
  apiKeyResource,
  corporateGroupResource,
  customerResource,
];

/** What an apply writes, in dependency order. */
export const writables: readonly Writable[] = [...resources, memberships];

export function findResource(kind: Resource['kind']): Resource | undefined {
  return resources.find((resource) => resource.kind === kind);
}

const labels = new Map(writables.map(({ kind, label }) => [kind, label]));

/** Returns the display name of a kind. */
export function getKindLabel(kind: Writable['kind']): string {
  return labels.get(kind) ?? kind;
}

/** What an audit event changes for the readers of objects: the nouns with which the keys of their queries begin. */
import type { ControlData } from '../clients.ts';

type AuditEvent = ControlData<'/audit'>[number];

const organizations = ['businesses', 'customers', 'corporate-groups', 'groups', 'users'] as const;

/** Of the objects of an event, with those that show them. */
const nounsOfEntity = {
  user: ['users', 'groups', 'customers', 'sessions'],
  group: ['groups', 'users', 'clients'],
  client: ['clients', 'api-keys', 'groups'],
  apiKey: ['api-keys'],
  business: organizations,
  corporateGroup: organizations,
  customer: organizations,
  logon: ['users'],
  session: ['sessions', 'users'],
  sandbox: ['sandboxes'],
  snapshot: ['snapshots'],
} as const satisfies Partial<Record<AuditEvent['objects'][number]['entity'], readonly string[]>>;

export type ObjectNoun = (typeof nounsOfEntity)[keyof typeof nounsOfEntity][number] | 'names';

const allNouns: readonly ObjectNoun[] = [...new Set(Object.values(nounsOfEntity).flat()), 'names'];

export function isObjectNoun(event: string): event is ObjectNoun {
  return allNouns.some((noun) => noun === event);
}

/** All nouns for an event that does not say what it changed, such as a reset, or not all of it. */
export function findChangedNouns({ event, result, objects, changes, truncated }: AuditEvent): readonly ObjectNoun[] {
  // A login is about a user, and changes nothing that is shown.
  if (result === 'refused' || (event === 'authentication' && changes === undefined)) return [];
  if (truncated || objects.length === 0) return allNouns;
  const known: Readonly<Record<string, readonly ObjectNoun[]>> = nounsOfEntity;
  return [...new Set([...objects.flatMap(({ entity }) => known[entity] ?? []), 'names' as const])];
}

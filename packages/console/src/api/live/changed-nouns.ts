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
} as const satisfies Partial<Record<AuditEvent['objects'][number]['entity'], readonly string[]>>;

export type ObjectNoun = (typeof nounsOfEntity)[keyof typeof nounsOfEntity][number] | 'names';

const allNouns: readonly ObjectNoun[] = [...new Set(Object.values(nounsOfEntity).flat()), 'names'];

export function isObjectNoun(event: string): event is ObjectNoun {
  return allNouns.some((noun) => noun === event);
}

/** Operations that replace the state as a whole: their events contain no changes. */
const replacesState: ReadonlySet<string | undefined> = new Set([
  ...['control.state-reset', 'control.state-import', 'control.snapshot-restore', 'control.seed-apply'],
]);

/** All nouns for an event that does not contain all changes. */
export function findChangedNouns({
  operation,
  result,
  objects,
  changes,
  truncated,
}: AuditEvent): readonly ObjectNoun[] {
  if (truncated || (replacesState.has(operation) && result !== 'refused')) return allNouns;
  // A login, or a token, is about an object that stays as it is.
  if (changes === undefined) return [];
  const known: Readonly<Record<string, readonly ObjectNoun[]>> = nounsOfEntity;
  return [...new Set([...objects.flatMap(({ entity }) => known[entity] ?? []), 'names' as const])];
}

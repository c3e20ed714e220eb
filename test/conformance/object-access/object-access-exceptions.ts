/** Rules of the interface by which the response reveals that an object of another owner exists. */
import type { ObjectKind } from './object-parameters.ts';

/** The status of a response, and its error code if there is one. */
export type OutcomeText = string;

/** A difference between the responses for an object of another owner and for an unknown object. */
export interface AccessDifference {
  readonly operation: string;
  readonly parameter: string;
  readonly kind: ObjectKind;
  readonly caller: string;
  readonly what: string;
  readonly other: OutcomeText;
  readonly absent: OutcomeText;
}

export interface AccessException {
  readonly text: string;
  explains(difference: AccessDifference): boolean;
}

/** First-party clients that are authenticated by a key. */
const authenticatedClient = /^client($| of a (user|business)$)/;
const productKinds: readonly ObjectKind[] = ['product', 'alias of a product', 'stock keeping unit'];

export const accessExceptions: readonly AccessException[] = [
  {
    text: 'Names are unique, so a request for an existing name must be rejected.',
    explains: ({ other, absent }) => /^412 \w+_TAKEN$/.test(other) && absent.startsWith('2'),
  },
  {
    text: 'Products have no owner: every authorized caller may request each.',
    explains: ({ kind }) => productKinds.includes(kind),
  },
  {
    text: 'Identity providers have no owner: each client names the one that it uses.',
    explains: ({ kind }) => kind === 'provider',
  },
  {
    text: 'A user may continue with any first-party client; a third-party client is rejected with 403.',
    explains: ({ parameter }) => parameter.endsWith('targetClientId'),
  },
  {
    text: 'Authenticated first-party clients read every user.',
    explains: ({ operation, caller }) =>
      ['user-identities.get', 'user-identities.retrieve'].includes(operation) && authenticatedClient.test(caller),
  },
  {
    text: 'Authenticated first-party clients create users of every business.',
    explains: ({ operation, kind, caller }) =>
      operation === 'user-identities.create' && kind === 'business' && authenticatedClient.test(caller),
  },
  {
    text: 'Authenticated first-party clients remove users from every group that grants no administrative role.',
    explains: ({ operation, kind, caller, what }) =>
      operation === 'user-accesses.remove-user' &&
      kind === 'group' &&
      authenticatedClient.test(caller) &&
      what !== 'the group of the administrators',
  },
  {
    text: 'A caller that acts for a business lists its users in every group; the list may be empty.',
    explains: ({ operation, kind, other }) =>
      operation === 'user-accesses.list-business-users' && kind === 'group' && other === '200',
  },
];

/** Formats all differences by the rule that explains them, for the snapshot. */
export function formatDifferences(differences: readonly AccessDifference[]): string {
  return accessExceptions
    .map(({ text, explains }) => {
      const rows = new Map<string, Set<string>>();
      for (const difference of differences.filter(explains)) {
        const { operation, parameter, other, absent, caller, what } = difference;
        const row = `  ${operation}, ${parameter}: ${other}, and ${absent} for an unknown object\n`;
        rows.set(row, (rows.get(row) ?? new Set()).add(`    ${caller}: ${what}\n`));
      }
      return `${text}\n${[...rows].map(([row, cells]) => `${row}${[...cells].sort().join('')}`).join('')}\n`;
    })
    .join('');
}

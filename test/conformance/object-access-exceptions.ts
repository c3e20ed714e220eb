/** Rules of the interface by which the response reveals that an object of another owner exists. */
import type { ObjectKind } from './object-parameters.ts';

/** An answer as people compare it: status, and the code of a refusal. */
export type OutcomeText = string;

/** One kind of difference: the same place and the same answers. */
export interface AccessDifference {
  readonly operation: string;
  readonly place: string;
  readonly kind: ObjectKind;
  readonly caller: string;
  readonly what: string;
  readonly foreign: OutcomeText;
  readonly absent: OutcomeText;
}

export interface AccessException {
  readonly text: string;
  explains(difference: AccessDifference): boolean;
}

/** First-party clients that have shown a key. */
const authenticatedClient = /^client($| of a (user|business)$)/;
const productKinds: readonly ObjectKind[] = ['product', 'alias of a product', 'stock keeping unit'];

export const accessExceptions: readonly AccessException[] = [
  {
    text: 'Names are unique, so a request for one that is taken must be rejected.',
    explains: ({ foreign, absent }) => /^412 \w+_TAKEN$/.test(foreign) && absent.startsWith('2'),
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
    explains: ({ place }) => place.endsWith('targetClientId'),
  },
  {
    text: 'Proven first-party clients read every user.',
    explains: ({ operation, caller }) =>
      ['user-identities.get', 'user-identities.retrieve'].includes(operation) && authenticatedClient.test(caller),
  },
  {
    text: 'Proven first-party clients say of every business that a user is of it.',
    explains: ({ operation, kind, caller }) =>
      operation === 'user-identities.create' && kind === 'business' && authenticatedClient.test(caller),
  },
  {
    text: 'Proven first-party clients take users out of every group that makes no administrators.',
    explains: ({ operation, kind, caller, what }) =>
      operation === 'user-accesses.remove-user' &&
      kind === 'group' &&
      authenticatedClient.test(caller) &&
      what !== 'the group of the administrators',
  },
  {
    text: 'A caller that acts for a business lists its users in every group; the list may be empty.',
    explains: ({ operation, kind, foreign }) =>
      operation === 'user-accesses.list-business-users' && kind === 'group' && foreign === '200',
  },
];

/** All differences under their reasons, for people. */
export function formatDifferences(differences: readonly AccessDifference[]): string {
  return accessExceptions
    .map(({ text, explains }) => {
      const rows = new Map<string, Set<string>>();
      for (const difference of differences.filter(explains)) {
        const { operation, place, foreign, absent, caller, what } = difference;
        const row = `  ${operation}, ${place}: ${foreign}, and ${absent} where there is none\n`;
        rows.set(row, (rows.get(row) ?? new Set()).add(`    ${caller}: ${what}\n`));
      }
      return `${text}\n${[...rows].map(([row, cells]) => `${row}${[...cells].sort().join('')}`).join('')}\n`;
    })
    .join('');
}

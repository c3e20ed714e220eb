/** Why an object of somebody else is told from none where it is: the rules of the interface that want it so. */
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
    text: 'A name is given out once, so whoever asks for one that is taken has to hear it.',
    explains: ({ foreign, absent }) => /^412 \w+_TAKEN$/.test(foreign) && absent.startsWith('2'),
  },
  {
    text: 'Products belong to nobody: whoever is let in may ask for each.',
    explains: ({ kind }) => productKinds.includes(kind),
  },
  {
    text: 'Identity providers belong to nobody: each client names the one that it sends its users to.',
    explains: ({ kind }) => kind === 'provider',
  },
  {
    text: 'A user goes on with any first-party client, and hears of one that it is of a third party (403).',
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
    text: 'Who acts for a business lists its users in every group; where it has none there, the list is empty.',
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

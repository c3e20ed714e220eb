/** Seed documents in request bodies, and the counts in the response. */
import * as z from 'zod';
import { type ApiErrorItem, formatPath, IamError } from '../../../../contract/errors.ts';
import type { SeedKind } from '../../../seed/entries.ts';
import { SeedError } from '../../../seed/error.ts';
import type { SeedIssue } from '../../../seed/issues.ts';
import { SeedDocument } from '../../../seed/schema.ts';

/** Requires `bodyChecks`: passwords are checked asynchronously. */
export const SeedBody = SeedDocument.meta({
  id: 'SeedDocument',
  description: 'A seed: the same document as the file of --seed (docs/seed.schema.json).',
  // Without a password, whose check is asynchronous.
  examples: [
    {
      users: [{ userId: 'alice', userName: 'alice', userEmail: 'alice@example.com' }],
      groups: [{ groupName: 'ops', roles: ['DEPLOY'], users: ['alice'] }],
    },
  ],
});

const count = (description: string, example: number) => z.int().meta({ description, examples: [example] });

const SeedCountItem = z.strictObject({
  created: count('Number of new entries', 2),
  updated: count('Number of entries that differed; includes new members and contacts', 1),
  unchanged: count('Number of entries that were present', 0),
});

const kinds: Readonly<Record<SeedKind, true>> = {
  businesses: true,
  corporateGroups: true,
  users: true,
  clients: true,
  groups: true,
  apiKeys: true,
  mainframe: true,
  products: true,
  providers: true,
};

export const SeedResult = z
  .strictObject(mapKinds(() => SeedCountItem.optional()))
  .describe('What happened to the entries, by kind');

/** Runs `apply`, and reports a seed that can't be applied like an invalid body. @param at the path of the seed in the body. */
export async function explainSeedErrors<Result>(
  at: readonly PropertyKey[],
  apply: () => Promise<Result>,
): Promise<Result> {
  try {
    return await apply();
  } catch (error) {
    throw error instanceof SeedError ? toBodyError(error, at) : error;
  }
}

function toBodyError(error: SeedError, at: readonly PropertyKey[]): IamError {
  const [first, ...others] = error.issues.map((issue) => toItem(issue, at));
  return new IamError([first ?? { code: 'FIELD_VALUE', message: error.message }, ...others], { cause: error });
}

function toItem({ path, message }: SeedIssue, at: readonly PropertyKey[]): ApiErrorItem {
  const field = formatPath([...at, ...path]);
  return {
    code: 'FIELD_VALUE',
    message: field === '' ? `${message}.` : `${field}: ${message}.`,
    details: field === '' ? undefined : { field },
  };
}

function mapKinds<Value>(create: () => Value): Record<SeedKind, Value> {
  return Object.fromEntries(Object.keys(kinds).map((kind) => [kind, create()])) as Record<SeedKind, Value>;
}

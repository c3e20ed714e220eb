/** Seed documents in request bodies. */
import { type ApiErrorItem, IamError } from '../../../../contract/errors.ts';
import { formatPath } from '../../../http/request-validation.ts';
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

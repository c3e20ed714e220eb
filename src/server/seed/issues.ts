/** What is wrong with a seed, in words: schemas of the contract speak in predicates already, those of zod do not. */
import type * as z from 'zod';

export interface SeedIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** One fault for each key that does not exist, else one. Of what was given nothing is repeated: it may be a secret. */
export function toSeedIssues(issue: z.core.$ZodIssue): SeedIssue[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'there is no such key' }));
  return [{ path: issue.path, message: formatIssue(issue) }];
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object of keys',
  record: 'an object of keys',
  string: 'text',
};

/** Needs issues that know what was given: `reportInput`. */
function formatIssue(issue: z.core.$ZodIssue): string {
  const isMissing = issue.input === undefined && issue.path.length > 0;
  if (issue.code === 'invalid_type')
    return isMissing ? 'is required' : `must be ${typeNames[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return isMissing ? 'is required' : `must be one of ${issue.values.join(', ')}`;
  return issue.message;
}

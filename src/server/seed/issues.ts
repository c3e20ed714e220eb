/** Formats the validation errors of a seed. Contract schemas define their messages; those of zod are replaced. */
import type * as z from 'zod';

export interface SeedIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Converts a zod issue, with one error per unknown key. Messages never contain values, which may be secrets. */
export function toSeedIssues(issue: z.core.$ZodIssue): SeedIssue[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'unknown key' }));
  return [{ path: issue.path, message: formatIssue(issue) }];
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'text',
};

/** Requires issues with input: `reportInput`. */
function formatIssue(issue: z.core.$ZodIssue): string {
  const isMissing = issue.input === undefined && issue.path.length > 0;
  if (issue.code === 'invalid_type')
    return isMissing ? 'is required' : `must be ${typeNames[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return isMissing ? 'is required' : `must be one of ${issue.values.join(', ')}`;
  return issue.message;
}

/**
 * Converts users of Auth0 into a seed: the lines of an export or of the file of a bulk import, one JSON object each. Auth0
 * exports no usable password hashes, so users set a new password.
 */
import * as z from 'zod';
import { formatPath } from '../../../contract/errors.ts';
import { JsonError, parseJson } from '../../../lib/json-text.ts';
import { isVerifiable } from '../../users/hashes/kinds.ts';
import type { SeedUser } from '../schema.ts';
import { ConversionError, type ConversionOptions, ConvertedSeed, type ImportResult } from './converted-seed.ts';

const User = z.looseObject({
  user_id: z.string().optional(),
  Id: z.string().optional(),
  username: z.string().optional(),
  Username: z.string().optional(),
  email: z.string().optional(),
  Email: z.string().optional(),
  email_verified: z.boolean().optional(),
  'Email Verified': z.boolean().optional(),
  blocked: z.boolean().optional(),
});
type User = z.output<typeof User>;

/** What is not converted, if it has content. */
const others = ['app_metadata', 'user_metadata', 'mfa_factors', 'phone_number', 'password_hash'] as const;

/** A hash of a bulk import in PHC form that this service can verify. */
const Argon2Hash = z.object({
  algorithm: z.literal('argon2'),
  hash: z.object({ value: z.string().refine(isVerifiable) }),
});

/** @param lines of the file @throws ConversionError for a line that is not a user, with its number */
export async function convertUsers(
  lines: Iterable<string>,
  file: string,
  options: ConversionOptions = {},
): Promise<ImportResult> {
  const seed = new ConvertedSeed(options);
  let number = 0;
  for (const line of lines) {
    number += 1;
    if (line.trim() !== '') seed.users.push(convertUser(parseLine(line, `${file}:${number}`), seed));
  }
  return seed.finish();
}

function parseLine(line: string, place: string): User {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ConversionError(`${place}:${error.column}: ${error.problem.reason}`);
  }
  const { data, error } = User.safeParse(value);
  if (data && nameOf(data) === undefined)
    throw new ConversionError(`${place} is not a user of Auth0: it has no user_id, username or email`);
  if (data) return data;
  const [issue] = error.issues;
  throw new ConversionError(`${place} is not a user of Auth0: ${formatPath(issue?.path ?? [])} ${issue?.message}`);
}

/** The provider before the bar, such as auth0|5f7c8ec7c33c6c004bbafe82, cannot be part of an id. */
const idOf = (user: User) => (user.user_id ?? user.Id)?.replaceAll('|', '-');
const loginOf = (user: User) => user.username ?? user.Username ?? user.email ?? user.Email;
/** How the report names a user. */
const nameOf = (user: User) => loginOf(user) ?? idOf(user);

function convertUser(user: User, seed: ConvertedSeed): SeedUser {
  const [name, id, shown = ''] = [loginOf(user), idOf(user), nameOf(user)];
  const passwordHash = Argon2Hash.safeParse(user.custom_password_hash).data?.hash.value;
  if (passwordHash === undefined)
    seed.report.change(
      'passwords',
      shown,
      'must set a new password: the file has no Argon2id hash, or one that is too costly',
    );
  for (const field of others) if (user[field] !== undefined) seed.report.leaveOut(field, shown, 'is not converted');
  return {
    ...(id === undefined ? {} : { userId: id }),
    ...(name === undefined ? {} : { userName: name }),
    ...seed.takeEmail(shown, user.email ?? user.Email, user.email_verified ?? user['Email Verified'] ?? false),
    ...(passwordHash === undefined ? {} : { passwordHash }),
    ...(user.blocked ? { locked: true } : {}),
  };
}

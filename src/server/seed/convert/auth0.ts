/**
 * Converts users of Auth0 into a seed: the lines of an export or of the file of a bulk import, one JSON object each. Auth0
 * exports no usable password hashes, so users set a new password.
 */
import * as z from 'zod';
import type { SeedUser } from '../schema.ts';
import { ConversionError, ConvertedSeed, type ImportResult } from './converted-seed.ts';

const User = z.looseObject({
  user_id: z.string().optional(),
  Id: z.string().optional(),
  username: z.string().optional(),
  Username: z.string().optional(),
  email: z.string().optional(),
  Email: z.string().optional(),
  blocked: z.boolean().optional(),
});
type User = z.output<typeof User>;

/** What is not converted, if it has content. */
const others = ['app_metadata', 'user_metadata', 'mfa_factors', 'custom_password_hash', 'password_hash'] as const;

/** @param lines of the file @throws ConversionError for a line that is not a user, with its number */
export async function convertUsers(lines: Iterable<string>, file: string): Promise<ImportResult> {
  const seed = new ConvertedSeed();
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
    value = JSON.parse(line);
  } catch (error) {
    throw new ConversionError(`${place} is not JSON: ${(error as Error).message}`);
  }
  const { data, error } = User.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  throw new ConversionError(`${place} is not a user of Auth0: ${issue?.path.join('.')} ${issue?.message}`);
}

function convertUser(user: User, seed: ConvertedSeed): SeedUser {
  const email = user.email ?? user.Email;
  const name = user.username ?? user.Username ?? email;
  // The provider before the bar, such as auth0|5f7c8ec7c33c6c004bbafe82, cannot be part of an id.
  const id = (user.user_id ?? user.Id)?.replaceAll('|', '-');
  const shown = name ?? id ?? '';
  seed.change('user', shown, 'must set a new password: exports of Auth0 contain no Argon2id hashes');
  for (const field of others) if (user[field] !== undefined) seed.leaveOut(field, shown, 'is not converted');
  return {
    ...(id === undefined ? {} : { userId: id }),
    ...(name === undefined ? {} : { userName: name }),
    ...(email === undefined ? {} : { userEmail: email }),
    ...(user.blocked ? { locked: true } : {}),
  };
}

/** Schemas of roles. */

import * as z from 'zod';
import { reference } from '../entities.ts';
import { exampleText, textUpTo } from './primitives.ts';

/** Without the prefix. */
export const MAX_ROLE_LENGTH = 128;

export const RoleName = textUpTo(MAX_ROLE_LENGTH + 'ROLE_'.length)
  // Allows the prefix ROLE_ only once, so that removing it yields a valid role name.
  .regex(
    /^(ROLE_)?(?![Rr][Oo][Ll][Ee]_)[A-Za-z][A-Za-z0-9_.:/-]{0,127}$/,
    `must be 1 to ${MAX_ROLE_LENGTH} ASCII letters, digits and _ . : / -, starting with a letter and not with role_`,
  )
  .meta({
    description: 'Name of a role, with or without the prefix ROLE_; letters compare with their case',
    ...reference('role', ['name']),
    examples: ['DEPLOY'],
  });

export const RoleWithGroups = z
  .strictObject({
    role: exampleText('DEPLOY'),
    groupNames: z.array(z.string()).meta({
      description: 'Groups of the member that grant the role, directly or through dependencies',
      examples: [['ops']],
    }),
  })
  .meta({ id: 'RoleWithGroups', description: 'An effective role and the groups that grant it.' });

/** Schemas of roles. */

import * as z from 'zod';
import { reference } from '../entities.ts';
import { exampleText, textUpTo } from './primitives.ts';

export const RoleName = textUpTo(100)
  // Allows the prefix ROLE_ only once, so that removing it yields a valid role name.
  .regex(/^(ROLE_)?(?!ROLE_)[A-Z][A-Z0-9_-]*$/, 'must be upper-case letters, digits, _ and -, starting with a letter')
  .meta({
    description: 'Name of a role, with or without the prefix ROLE_',
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

/** Schemas of groups. */
import * as z from 'zod';
import { definition, type ReferenceScope, reference } from '../entities.ts';
import {
  boundedText,
  controlCharacters,
  exampleText,
  generatedIdForm,
  isReservedName,
  listUpTo,
  optionalText,
  singleLine,
} from './primitives.ts';
import { RoleName } from './role.ts';
import type { UserId } from './user.ts';

/** The form of group names as one pattern, for checks without zod. */
export const groupNamePattern = `^(?!${generatedIdForm.source.slice(1)})[^/${controlCharacters}]+$`;

export const GroupName = singleLine(
  100,
  'Unique name of a group: no slash, no control or invisible character, no space at the ends, not 24 hexadecimal digits',
)
  .refine((value) => !value.includes('/'), 'must not contain a slash')
  // A name that looks like an id would be ambiguous in a path.
  .refine((value) => !generatedIdForm.test(value), 'must not look like an id (24 hexadecimal digits)')
  .refine((value) => !isReservedName(value), 'is a reserved word')
  .meta({ ...definition('group', 'name'), examples: ['ops'] });

/** Path parameter: the id or the name of a group. */
export const GroupReference = singleLine(100, 'Id or name of the group').meta({
  'x-argument': 'group',
  'x-label': 'Id or name of the group',
  ...reference('group', ['name', 'id']),
  examples: ['ops'],
});

/** Path parameter after a group: a direct role of the group. */
export const RoleOfGroup = RoleName.meta(reference('role', ['name'], { operation: 'groups.get', property: 'roles' }));

/** Path parameter after a group: a dependency of the group. */
export const DependencyOfGroup = GroupReference.meta({
  'x-argument': 'dependency',
  'x-label': 'Id or name of the dependency',
  ...reference('group', ['name', 'id'], { operation: 'groups.get', property: 'dependencies.groupName' }),
  examples: ['viewers'],
});

/** Restricts the schema to members of the group in the path: rows of the operation that lists them. */
export function memberOf(schema: typeof UserId, operation: string, property: string) {
  const member = schema.meta()?.['x-reference'];
  const among: ReferenceScope = { operation, property };
  return schema.meta({ 'x-reference': { ...(member as object), among } });
}

export const Dependency = z
  .strictObject({
    groupName: boundedText(100).meta({ ...reference('group', ['name', 'id']), examples: ['viewers'] }),
  })
  .meta({ id: 'Dependency', description: 'A group whose roles are inherited, by name or id.' });

export const GroupSchema = z
  .strictObject({
    groupId: exampleText('64b0c0ffee00000000000001'),
    groupName: exampleText('ops'),
    organizationId: optionalText('example-org'),
    businessUnitId: optionalText('retail'),
    roles: z.array(z.string()).meta({ examples: [['DEPLOY']] }),
    dependencies: z.array(Dependency),
  })
  .meta({ id: 'Group', description: 'A group with its direct roles and its dependencies.' });

/** The body of create and update of a group. */
export const GroupInput = z
  .strictObject({
    groupName: GroupName,
    organizationId: singleLine(64, 'Organization the group belongs to')
      .optional()
      .meta({ examples: ['example-org'] }),
    businessUnitId: singleLine(64, 'Business unit the group belongs to')
      .optional()
      .meta({ examples: ['retail'] }),
    roles: listUpTo(1000, RoleName).optional().describe('Roles of the members'),
    dependencies: listUpTo(1000, Dependency).optional().describe('Groups whose roles the members inherit'),
  })
  .meta({ id: 'GroupInput' });

/** Groups: roles for their members. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { instant, names, text } from './fields.ts';

export const GroupRow = z
  .strictObject({
    groupId: text,
    groupName: text,
    organizationId: text.optional(),
    businessUnitId: text.optional(),
    roles: names,
    /** Ids of the groups whose roles this group inherits. */
    dependencies: names,
    createdAt: instant,
  })
  .readonly();

export type Group = z.infer<typeof GroupRow>;

export const groupTable = defineTable(GroupRow, (row) => row.groupId, {
  unique: { groupName: (row) => row.groupName },
  index: {
    role: (row) => row.roles,
    dependency: (row) => row.dependencies,
    organizationId: (row) => row.organizationId,
    businessUnitId: (row) => row.businessUnitId,
  },
});

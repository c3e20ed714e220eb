/** Schemas of group members and of the roles that groups grant. */
import * as z from 'zod';
import { BusinessId, ServiceId, UserId } from './reference-schemas.ts';

/** Maximum number of members in one request. */
const maxMembers = 10_000;

function members<Entry extends z.ZodType>(entry: Entry) {
  return z.array(entry).max(maxMembers, `must not have more than ${maxMembers} entries`);
}

export const UserReference = z.strictObject({ userId: UserId }).meta({ id: 'UserReference', description: 'A user.' });
export const BusinessReference = z
  .strictObject({ businessId: BusinessId })
  .meta({ id: 'BusinessReference', description: 'A business.' });
export const ServiceReference = z
  .strictObject({ serviceId: ServiceId })
  .meta({ id: 'ServiceReference', description: 'A service.' });

export const UserReferences = members(UserReference);
export const BusinessReferences = members(BusinessReference);
export const ServiceReferences = members(ServiceReference);

type UserList = z.output<typeof UserReferences>;

/** A list of users, or one user without the brackets. Not a union, which would lose the path of a wrong field. */
export const OneOrManyUsers = z.preprocess(
  (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? [value] : value),
  UserReferences,
) as z.ZodType<UserList, UserList | UserList[number]>;

export const RoleWithGroups = z
  .strictObject({
    role: z.string(),
    groupNames: z
      .array(z.string())
      .describe('Groups of the member that grant the role, directly or through dependencies'),
  })
  .meta({ id: 'RoleWithGroups', description: 'An effective role and the groups that grant it.' });

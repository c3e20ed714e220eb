/** Schemas of what is in groups, and of what groups give. */
import * as z from 'zod';
import { BusinessId, ServiceId, UserId } from './reference-schemas.ts';

/** The most members that one call adds. */
const mostMembers = 10_000;

function members<Entry extends z.ZodType>(entry: Entry) {
  return z.array(entry).max(mostMembers, `must not have more than ${mostMembers} entries`);
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

/** A list of users; one alone is taken without the brackets as well. A union would lose which field is wrong. */
export const OneOrManyUsers = z.preprocess(
  (given) => (typeof given === 'object' && given !== null && !Array.isArray(given) ? [given] : given),
  UserReferences,
) as z.ZodType<UserList, UserList | UserList[number]>;

export const RoleWithGroups = z
  .strictObject({
    role: z.string(),
    groupNames: z.array(z.string()).describe('Groups of the member that give the role, themselves or by dependencies'),
  })
  .meta({ id: 'RoleWithGroups', description: 'An effective role and where it comes from.' });

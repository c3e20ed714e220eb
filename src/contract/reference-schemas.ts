/** Schemas of values that name an existing entity. A use with other words is `UserId.describe(...)`. */
import { type Among, reference } from './entities.ts';
import { GroupReference, Id, RoleName, singleLine } from './schemas.ts';

export const UserId = Id.meta({ description: 'User id', 'x-argument': 'user-id', ...reference('user', ['id']) });
export const BusinessId = Id.meta({ description: 'Business id', ...reference('business', ['id']) });
export const ClientId = Id.meta({ description: 'Client id', ...reference('client', ['id']) });
export const ApiKeyId = Id.meta({
  description: 'Id of the API key',
  'x-label': 'Id of the API key',
  ...reference('apiKey', ['id']),
});
export const CorporateGroupId = Id.meta({ description: 'Corporate group id', ...reference('corporateGroup', ['id']) });

/** The service account of a client, by which groups know the client. */
export const ServiceId = Id.meta({
  description: 'Service account id of a client',
  'x-label': 'Service account id of a client',
  ...reference('client', ['serviceAccount']),
});

/** In a path: a client by either of its ids. */
export const ServiceOrClientId = Id.meta({
  description: 'Service account id, or client id',
  'x-label': 'Service account id, or client id',
  ...reference('client', ['serviceAccount', 'id']),
});

/** In a path after a group: one of the roles that the group has itself. */
export const RoleOfGroup = RoleName.meta(reference('role', ['name'], { operation: 'groups.get', property: 'roles' }));

/** In a path after a group: one of the groups that it depends on. */
export const DependencyOfGroup = GroupReference.meta({
  'x-argument': 'dependency',
  'x-label': 'Id or name of the dependency',
  ...reference('group', ['name', 'id'], { operation: 'groups.get', property: 'dependencies.groupName' }),
});

/** An application; only the clients of it say which there are. */
export function applicationId(description: string) {
  return singleLine(64, description).meta({ 'x-label': 'Application', ...reference('client', ['application']) });
}

/** A member of the group that the call is about, as one of the rows that the list of its members has. */
export function memberOf(schema: typeof UserId, operation: string, property: string) {
  const member = schema.meta()?.['x-reference'];
  const among: Among = { operation, property };
  return schema.meta({ 'x-reference': { ...(member as object), among } });
}

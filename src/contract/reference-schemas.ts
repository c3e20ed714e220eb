/** Schemas of values that refer to an existing entity. Use `UserId.describe(...)` for another description. */
import { type ReferenceScope, reference } from './entities.ts';
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

/** The service account id of a client, used in group memberships. */
export const ServiceId = Id.meta({
  description: 'Service account id of a client',
  'x-label': 'Service account id of a client',
  ...reference('client', ['serviceAccount']),
});

/** Path parameter: either id of a client. */
export const ServiceOrClientId = Id.meta({
  description: 'Service account id, or client id',
  'x-label': 'Service account id, or client id',
  ...reference('client', ['serviceAccount', 'id']),
});

/** Path parameter after a group: a direct role of the group. */
export const RoleOfGroup = RoleName.meta(reference('role', ['name'], { operation: 'groups.get', property: 'roles' }));

/** Path parameter after a group: a dependency of the group. */
export const DependencyOfGroup = GroupReference.meta({
  'x-argument': 'dependency',
  'x-label': 'Id or name of the dependency',
  ...reference('group', ['name', 'id'], { operation: 'groups.get', property: 'dependencies.groupName' }),
});

/** An application id. Applications exist only as a field of clients. */
export function applicationId(description: string) {
  return singleLine(64, description).meta({ 'x-label': 'Application', ...reference('client', ['application']) });
}

/** Restricts the schema to members of the group in the path: rows of the operation that lists them. */
export function memberOf(schema: typeof UserId, operation: string, property: string) {
  const member = schema.meta()?.['x-reference'];
  const among: ReferenceScope = { operation, property };
  return schema.meta({ 'x-reference': { ...(member as object), among } });
}

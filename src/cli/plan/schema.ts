/** JSON Schema of provisioning documents; also published as docs/provisioning.schema.json. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { valueSchemas } from './value-schemas.ts';

const described = (schema: JsonSchema, description: string): JsonSchema => ({ ...schema, description });

const id = (description: string) => described(valueSchemas.id, description);

/** A field that `null` clears. */
const clearable = (schema: JsonSchema, description: string): JsonSchema => ({
  ...schema,
  type: ['string', 'null'],
  description: `${description}; null clears it`,
});

const list = (items: JsonSchema, description: string, maxItems?: number): JsonSchema => ({
  type: 'array',
  items,
  uniqueItems: true,
  ...(maxItems === undefined ? {} : { maxItems }),
  description,
});

const object = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
  description: string,
): JsonSchema => ({ type: 'object', properties, required, additionalProperties: false, description });

const groupName = described(valueSchemas.group.groupName, 'Unique name of a group');
const role = described(valueSchemas.group.roles.items, 'Name of a role, with or without the prefix ROLE_');

const group = object(
  {
    groupName,
    organizationId: clearable(valueSchemas.group.organizationId, 'Organization the group belongs to'),
    businessUnitId: clearable(valueSchemas.group.businessUnitId, 'Business unit the group belongs to'),
    roles: list(role, 'All direct roles', valueSchemas.group.roles.maxItems),
    dependencies: list(
      object({ groupName }, ['groupName'], 'A group whose roles this group inherits'),
      'All groups that this group depends on',
      valueSchemas.group.dependencies.maxItems,
    ),
    users: list(id('Id of a user'), 'All users who are direct members of the group'),
    businesses: list(id('Id of a business'), 'All businesses whose users are in the group'),
    businessUsers: list(
      object(
        { businessId: id('Id of the business'), userId: id('Id of the user') },
        ['businessId', 'userId'],
        'A user who is a member on behalf of a business',
      ),
      'All users who are members on behalf of their business',
    ),
    services: list(id('Service account id of a client'), 'All services in the group'),
  },
  ['groupName'],
  'A group. Omitted fields stay unchanged; a list replaces the whole list.',
);

const client = object(
  {
    clientId: id('Id of an existing client'),
    serviceAccountId: id('Service account of the client; a client is created if none has this id'),
    appId: described(valueSchemas.client.appId, 'Application that the client belongs to'),
    scope: list(
      described(valueSchemas.client.scope.items, 'A permission'),
      'Permissions of its tokens',
      valueSchemas.client.scope.maxItems,
    ),
    grantTypes: list(
      described(valueSchemas.client.grantTypes.items, 'A grant type'),
      'Allowed OAuth grant types',
      valueSchemas.client.grantTypes.maxItems,
    ),
    redirectURI: { ...described(valueSchemas.client.redirectURI, 'Redirect URI of logins'), minLength: 1 },
    organizationId: described(valueSchemas.client.organizationId, 'Organization the client belongs to'),
    businessUnitId: described(valueSchemas.client.businessUnitId, 'Business unit the client belongs to'),
    userId: id('User that owns the client'),
    businessId: id('Business that owns the client'),
  },
  [],
  'A client, identified by serviceAccountId or clientId.',
);

const apiKey = object(
  {
    apiKeyId: id('Id of an existing key'),
    appId: described(valueSchemas.client.appId, 'Application that uses the key'),
    clientId: id('Client that the key authenticates'),
    serviceAccountId: id('Service account of that client'),
  },
  ['appId'],
  'An API key, identified by apiKeyId, or by client and application.',
);

const corporateGroup = object(
  {
    corporateGroupName: described(valueSchemas.corporateGroup.corporateGroupName, 'Unique name of the corporate group'),
    organizationId: clearable(
      valueSchemas.corporateGroup.organizationId,
      'Organization the corporate group belongs to',
    ),
    businesses: list(
      id('Id of a business'),
      'All businesses of the group; a business can be in at most one corporate group',
      valueSchemas.corporateGroup.businesses.maxItems,
    ),
  },
  ['corporateGroupName'],
  'Businesses that belong together.',
);

const customer = object(
  {
    businessId: id('Business id; generated if omitted'),
    businessName: described(valueSchemas.customer.businessName, 'Business name'),
    userId: id('User who is the customer'),
    name: described(valueSchemas.customer.name, 'Name of a user customer'),
    document: described(valueSchemas.customer.document, 'Official document number of the customer'),
    organizationId: described(valueSchemas.customer.organizationId, 'Organization the business belongs to'),
    businessUnitId: described(valueSchemas.customer.businessUnitId, 'Business unit the business belongs to'),
  },
  ['document'],
  'A customer: a business with a businessName, or a user with a userId.',
);

/** Schemas of the entry kinds of a document. */
export const entrySchemas = {
  groups: group,
  clients: client,
  apiKeys: apiKey,
  corporateGroups: corporateGroup,
  customers: customer,
} as const;

export type KindName = keyof typeof entrySchemas;
export const kindNames = Object.keys(entrySchemas) as KindName[];

/** The schema of one document. */
export const documentSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Provisioning document',
  ...object(
    {
      set: {
        type: 'string',
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
        description: 'Name of the set that records created resources for --prune',
      },
      ...Object.fromEntries(
        kindNames.map((kind) => [
          kind,
          { type: 'array', items: entrySchemas[kind], description: entrySchemas[kind].description },
        ]),
      ),
    },
    [],
    'Desired state for `iam apply`. Omitted fields stay unchanged.',
  ),
};

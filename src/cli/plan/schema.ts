/** JSON Schema of provisioning documents; also published as docs/provisioning.schema.json. */
import type { JsonSchema } from '../../contract/manifest-types.ts';

const id = (description: string): JsonSchema => ({
  type: 'string',
  pattern: '^[A-Za-z0-9._:@-]{1,64}$',
  description,
});

const text = (maxLength: number, description: string): JsonSchema => ({
  type: 'string',
  minLength: 1,
  maxLength,
  description,
});

/** A field that `null` clears. */
const clearable = (maxLength: number, description: string): JsonSchema => ({
  ...text(maxLength, `${description}; null clears it`),
  type: ['string', 'null'],
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

const groupName: JsonSchema = {
  ...text(100, 'Unique name of a group'),
  pattern: '^(?![0-9a-fA-F]{24}$)[^/\\u0000-\\u001f\\u007f-\\u009f]+$',
};
const role: JsonSchema = {
  type: 'string',
  maxLength: 100,
  pattern: '^(ROLE_)?(?!ROLE_)[A-Z][A-Z0-9_-]*$',
  description: 'Name of a role, with or without the prefix ROLE_',
};

const group = object(
  {
    groupName,
    organizationId: clearable(64, 'Organization the group belongs to'),
    businessUnitId: clearable(64, 'Business unit the group belongs to'),
    roles: list(role, 'All direct roles', 1000),
    dependencies: list(
      object({ groupName }, ['groupName'], 'A group whose roles this group inherits'),
      'All groups that this group depends on',
      1000,
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
    appId: text(64, 'Application that the client belongs to'),
    scope: list(
      { type: 'string', maxLength: 100, pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$', description: 'A permission' },
      'Permissions of its tokens',
      100,
    ),
    grantTypes: list(text(100, 'A grant type'), 'Allowed OAuth grant types', 20),
    redirectURI: { ...text(2000, 'Redirect URI of logins'), format: 'uri' },
    organizationId: text(64, 'Organization the client belongs to'),
    businessUnitId: text(64, 'Business unit the client belongs to'),
    userId: id('User that owns the client'),
    businessId: id('Business that owns the client'),
  },
  [],
  'A client, identified by serviceAccountId or clientId.',
);

const apiKey = object(
  {
    apiKeyId: id('Id of an existing key'),
    appId: text(64, 'Application that uses the key'),
    clientId: id('Client that the key authenticates'),
    serviceAccountId: id('Service account of that client'),
  },
  ['appId'],
  'An API key, identified by apiKeyId, or by client and application.',
);

const corporateGroup = object(
  {
    corporateGroupName: text(100, 'Unique name of the corporate group'),
    organizationId: clearable(64, 'Organization the corporate group belongs to'),
    businesses: list(
      id('Id of a business'),
      'All businesses of the group; a business can be in at most one corporate group',
      10_000,
    ),
  },
  ['corporateGroupName'],
  'Businesses that belong together.',
);

const customer = object(
  {
    businessId: id('Business id; generated if omitted'),
    businessName: text(200, 'Business name'),
    userId: id('User who is the customer'),
    name: text(200, 'Name of a user customer'),
    document: text(64, 'Official document number of the customer'),
    organizationId: text(64, 'Organization the business belongs to'),
    businessUnitId: text(64, 'Business unit the business belongs to'),
  },
  ['document'],
  'A customer: a business with a businessName, or a user with a userId.',
);

/** Names that are path segments of the API and cannot be used for new resources. */
export const reservedResourceNames: ReadonlySet<string> = new Set(
  [
    '. .. me main-email main-mobile role dependency user-accounts business-accounts service-accounts roles login connect',
    'organizational-structure lock unlock identification login-legacy auth-legacy-by-param remember-me renew-token',
    'reset-password retrieve-identity digital-certificate renew-app-token retrieve-legacy-identity reset-legacy-password',
    'login-federated',
  ].flatMap((names) => names.split(' ')),
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

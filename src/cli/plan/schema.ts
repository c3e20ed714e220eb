/** The JSON Schema of provisioning documents: what is checked, and what docs/provisioning.schema.json publishes. */
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
    roles: list(role, 'All roles of its own', 1000),
    dependencies: list(
      object({ groupName }, ['groupName'], 'A group whose roles this one has as well'),
      'All groups it depends on',
      1000,
    ),
    users: list(id('Id of a user'), 'All users who are in the group themselves'),
    businesses: list(id('Id of a business'), 'All businesses whose users are in the group'),
    businessUsers: list(
      object(
        { businessId: id('Id of the business'), userId: id('Id of the user') },
        ['businessId', 'userId'],
        'A user who is in the group in the name of a business',
      ),
      'All users who are in the group in the name of their business',
    ),
    services: list(id('Service account id of a client'), 'All services in the group'),
  },
  ['groupName'],
  'A group. What is left out stays as it is; a list that is given is the whole list.',
);

const client = object(
  {
    clientId: id('Id of a client that is there already'),
    serviceAccountId: id('Service account the client acts as; a client is made where there is none of this id'),
    appId: text(64, 'Application that the client belongs to'),
    scope: list(
      { type: 'string', maxLength: 100, pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$', description: 'A permission' },
      'Permissions of its tokens',
      100,
    ),
    grantTypes: list(text(100, 'A grant type'), 'OAuth grant types it may use', 20),
    redirectURI: { ...text(2000, 'Where logins return to'), format: 'uri' },
    organizationId: text(64, 'Organization the client belongs to'),
    businessUnitId: text(64, 'Business unit the client belongs to'),
    userId: id('User that owns the client'),
    businessId: id('Business that owns the client'),
  },
  [],
  'A client, found by its serviceAccountId or its clientId.',
);

const apiKey = object(
  {
    apiKeyId: id('Id of a key that is there already'),
    appId: text(64, 'Application that uses the key'),
    clientId: id('Client that calls with the key act as'),
    serviceAccountId: id('The same client by its service account'),
  },
  ['appId'],
  'An API key, found by its apiKeyId, else by client and application.',
);

const corporateGroup = object(
  {
    corporateGroupName: text(100, 'Unique name of the corporate group'),
    organizationId: clearable(64, 'Organization the corporate group belongs to'),
    businesses: list(id('Id of a business'), 'All its businesses; each is in one corporate group at most', 10_000),
  },
  ['corporateGroupName'],
  'Businesses that belong together.',
);

const customer = object(
  {
    businessId: id('Of a business: its id; made where left out'),
    businessName: text(200, 'Of a business: its name'),
    userId: id('Of a user: who is a customer'),
    name: text(200, 'Of a user: name of the customer'),
    document: text(64, 'Number under which authorities know the customer'),
    organizationId: text(64, 'Organization the business belongs to'),
    businessUnitId: text(64, 'Business unit the business belongs to'),
  },
  ['document'],
  'A customer: a business with its businessName, or a user with its userId.',
);

/** Words that mean something in a path, so that nothing new may be called by them. */
export const reservedResourceNames: ReadonlySet<string> = new Set(
  [
    '. .. me main-email main-mobile role dependency user-accounts business-accounts service-accounts roles login connect',
    'organizational-structure lock unlock identification login-legacy auth-legacy-by-param remember-me renew-token',
    'reset-password retrieve-identity digital-certificate renew-app-token retrieve-legacy-identity reset-legacy-password',
    'login-federated',
  ].flatMap((names) => names.split(' ')),
);

/** Kinds of entries in a document, and what each holds. */
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
        description: 'Name under which --prune remembers what was made',
      },
      ...Object.fromEntries(
        kindNames.map((kind) => [
          kind,
          { type: 'array', items: entrySchemas[kind], description: entrySchemas[kind].description },
        ]),
      ),
    },
    [],
    'What `iam apply` brings a server to. What is left out is left alone.',
  ),
};

/** Schemas of the seed document. Unknown keys are errors. Requires `parseAsync`. */
import * as z from 'zod';
import { isReservedRole, isServiceRoleLookalike, stripRolePrefix } from '../../contract/roles.ts';
import { ApiKeyValue } from '../../contract/schemas/api-key.ts';
import { Audiences, browserLoginFields, RedirectURIs, ScopeName } from '../../contract/schemas/client.ts';
import { ContactType, Email, EmailDomain, Mobile, Tags } from '../../contract/schemas/contact.ts';
import { CorporateGroupName } from '../../contract/schemas/corporate-group.ts';
import { GroupName } from '../../contract/schemas/group.ts';
import { LogonName } from '../../contract/schemas/legacy.ts';
import { Id, NewId, nonEmptyText, singleLine, textUpTo } from '../../contract/schemas/primitives.ts';
import { BillingType, ProductAlias, Sku } from '../../contract/schemas/product.ts';
import { RoleName } from '../../contract/schemas/role.ts';
import { isStorableUserName, maxUserNameLength, NewPassword, userNameTooLong } from '../../contract/schemas/user.ts';
import { sensitive } from '../../contract/sensitive.ts';
import { decodeCertificate } from '../federation/certificate-encoding.ts';
import { MAX_LINK_LENGTH, MAX_PROVIDER_NAME_LENGTH } from '../federation/subjects.ts';
import { hasLinkForm } from '../store/tables.ts';
import { argon2Kind } from '../users/argon2.ts';
import { readHash } from '../users/hashes/exporter-forms.ts';
import { describeViolations } from '../users/password-policy.ts';

const Secret = sensitive(nonEmptyText(1000), 'secret');
const ids = z.array(Id);

const SecretHash = sensitive(
  z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'must be a hash from an export')
    .describe('Hash from an export, instead of the plain value'),
  'secret',
);

/** Of the secret or key that a rotation replaced. Without endsAt it is no longer valid. */
const Previous = z.strictObject({
  hash: SecretHash,
  endsAt: z.iso.datetime().optional().describe('Until when the previous value is valid'),
});
const previousDescription = 'The value that a rotation replaced, from an export';

/** Kept by the mainframe as it is: replaced by no login. */
const LogonHash = sensitive(z.string().startsWith('$argon2', 'must be an Argon2 hash in PHC form'), 'secret');

const PasswordHash = sensitive(
  z
    .union([sensitive(z.string(), 'secret'), sensitive(z.looseObject({}), 'secret')])
    .describe(
      'Hash of Argon2, PBKDF2 or scrypt in PHC form, of bcrypt, or as its exporter writes it: a credential of Keycloak with credentialData and secretData, or a custom_password_hash of Auth0',
    ),
  'secret',
);

/** Names the user or logon: of hundreds, an index does not tell which one. */
function addHashIssue(name: string | undefined, problem: string | undefined, context: z.RefinementCtx): void {
  if (problem === undefined) return;
  context.addIssue({ code: 'custom', path: ['passwordHash'], message: `(of ${name}) ${problem}` });
}

const SeedClient = z
  .strictObject({
    clientId: NewId,
    clientSecret: Secret.optional().describe('Absent, as secretHash: a client without a secret (public)'),
    secretHash: SecretHash.optional(),
    previousSecret: sensitive(Previous, 'secret').optional().describe(previousDescription),
    appId: singleLine(64, 'Application').optional(),
    party: z.enum(['1STPARTY', '3RDPARTY']).optional(),
    authorities: z.array(RoleName).optional(),
    scope: z.array(ScopeName).optional(),
    grantTypes: z.array(singleLine(100, 'A grant type')).optional(),
    redirectURI: z.url().optional().describe('The only redirect URI'),
    redirectURIs: RedirectURIs.optional().describe('Several redirect URIs'),
    audiences: Audiences.optional().describe('Audiences of its tokens, besides the issuer'),
    ...browserLoginFields,
    serviceAccountId: NewId.optional(),
    userId: Id.optional(),
    businessId: Id.optional(),
    organizationId: singleLine(64, 'Organization').optional(),
    businessUnitId: singleLine(64, 'Business unit').optional(),
    factorVisibility: z.enum(['CREDENTIALS_ONLY', 'MARKED_RESOURCES', 'UNRESTRICTED']).optional(),
  })
  .refine((client) => client.clientSecret === undefined || client.secretHash === undefined, {
    path: ['secretHash'],
    message: 'must not be combined with clientSecret',
  })
  .refine((client) => client.previousSecret === undefined || client.secretHash !== undefined, {
    path: ['previousSecret'],
    message: 'must be combined with secretHash',
  })
  .refine((client) => client.redirectURI === undefined || client.redirectURIs === undefined, {
    path: ['redirectURIs'],
    message: 'must not be combined with redirectURI',
  })
  // Both can be the `sub` of a token, which must identify one of them.
  .refine((client) => client.serviceAccountId !== client.clientId, {
    path: ['serviceAccountId'],
    message: 'must differ from clientId',
  });

const SeedBusiness = z.strictObject({
  businessId: NewId.optional(),
  businessName: singleLine(200, 'Name'),
  document: singleLine(64, 'Registration number').optional(),
  corporateGroupName: CorporateGroupName.optional(),
});

const SeedCorporateGroup = z.strictObject({
  corporateGroupId: NewId.optional(),
  corporateGroupName: CorporateGroupName,
  organizationId: singleLine(64, 'Organization').optional(),
  businesses: ids.optional(),
});

const SeedFactor = z.strictObject({
  id: NewId.optional(),
  contactType: ContactType,
  email: Email.optional(),
  mobile: Mobile.optional(),
  tags: Tags.optional(),
  verified: z.boolean().optional(),
});

const SeedUser = z
  .strictObject({
    userId: NewId.optional(),
    userName: singleLine(maxUserNameLength, 'Login name').refine(isStorableUserName, userNameTooLong).optional(),
    password: NewPassword.optional(),
    passwordHash: PasswordHash.optional(),
    userEmail: Email.optional(),
    userMobile: z
      .strictObject({
        regionCode: z.int().min(1).max(999),
        areaCode: z.int().min(1).max(9999),
        phoneNumber: z.int().min(1000).max(999_999_999_999),
      })
      .optional(),
    /** Of an export: the user signed up, and anyone may have chosen its name. */
    selfRegistered: z.literal(true).optional(),
    businessId: Id.optional(),
    lead: z.boolean().optional(),
    locked: z.boolean().optional(),
    identities: z.array(singleLine(MAX_LINK_LENGTH, 'Login identifier')).optional(),
    factors: z.array(SeedFactor).optional(),
    legacyLogons: z.array(LogonName).optional(),
    certificates: z
      .array(z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits: the SHA-256 of a certificate'))
      .optional(),
  })
  .refine((user) => user.userId !== undefined || user.userName !== undefined, 'must have a userId or a userName')
  .refine(({ userId, userName }) => userName === undefined || userName === userId || !hasLinkForm(userName), {
    path: ['userName'],
    message: 'must not contain a colon',
  })
  .refine((user) => user.password === undefined || user.passwordHash === undefined, {
    path: ['passwordHash'],
    message: 'must not be combined with password',
  })
  .superRefine(({ password, ...owner }, issues) => {
    if (password === undefined) return undefined;
    return describeViolations(password, owner).then((weaknesses) => {
      for (const message of weaknesses) issues.addIssue({ code: 'custom', path: ['password'], message });
    });
  })
  .superRefine(({ userId, userName, passwordHash }, context) => {
    if (passwordHash !== undefined) addHashIssue(userName ?? userId, readHash(passwordHash).problem, context);
  });

const GroupRole = RoleName.refine((name) => !isReservedRole(stripRolePrefix(name)), {
  message: 'is a role that only the service grants',
  abort: true,
}).refine((name) => !isServiceRoleLookalike(stripRolePrefix(name)), 'differs from a role of the service in case only');

const SeedGroup = z.strictObject({
  groupId: NewId.optional(),
  groupName: GroupName,
  organizationId: singleLine(64, 'Organization').optional(),
  businessUnitId: singleLine(64, 'Business unit').optional(),
  roles: z.array(GroupRole).optional(),
  dependencies: z.array(z.strictObject({ groupName: GroupName })).optional(),
  users: ids.optional(),
  businesses: ids.optional(),
  businessUsers: z.array(z.strictObject({ businessId: Id, userId: Id })).optional(),
  services: ids.optional(),
});

const SeedApiKey = z
  .strictObject({
    apiKeyId: NewId.optional(),
    appId: singleLine(64, 'Application'),
    clientId: Id,
    apiKey: ApiKeyValue.optional(),
    keyHash: SecretHash.optional(),
    hint: singleLine(4, 'The end of the key, to identify it').optional(),
    previousKey: sensitive(Previous.extend({ hint: singleLine(4, 'The end of the previous key') }), 'secret')
      .optional()
      .describe(previousDescription),
  })
  .refine(
    (key) => (key.apiKey === undefined) !== (key.keyHash === undefined),
    'must have either an apiKey or a keyHash',
  )
  .refine((key) => key.previousKey === undefined || key.keyHash !== undefined, {
    path: ['previousKey'],
    message: 'must be combined with keyHash',
  });

const SeedLogon = z
  .strictObject({
    logon: LogonName,
    password: sensitive(nonEmptyText(128), 'secret').optional(),
    passwordHash: LogonHash.optional(),
    email: Email.optional(),
    mobile: Mobile.optional(),
  })
  .refine((logon) => logon.password === undefined || logon.passwordHash === undefined, {
    path: ['passwordHash'],
    message: 'must not be combined with password',
  })
  .superRefine(({ logon, passwordHash }, issues) => {
    if (passwordHash !== undefined) addHashIssue(logon, argon2Kind.findProblem(passwordHash), issues);
  });

const SeedProduct = z.strictObject({
  productId: Id.optional(),
  productAlias: ProductAlias,
  sku: Sku,
  billingTypes: z.array(BillingType).optional(),
});

const providerNameForm = new RegExp(`^[A-Za-z0-9._-]{1,${MAX_PROVIDER_NAME_LENGTH}}$`);

/** Must not contain a colon, which ends the name in links to a provider. */
export const ProviderName = z
  .string()
  .regex(providerNameForm, `must be 1 to ${MAX_PROVIDER_NAME_LENGTH} letters, digits or . _ -`)
  .describe('Name of a provider');

const Certificate = z
  .string()
  .refine((text) => decodeCertificate(text) !== undefined, 'must be one certificate, in PEM or base64 of DER');

const emailDomains = z.array(EmailDomain).optional();

const ProviderUrl = z.url({ protocol: /^https?$/, message: 'must be an http or https URL' });

const SeedProvider = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('oidc'),
      name: ProviderName,
      issuer: singleLine(2000, 'Issuer'),
      clientId: singleLine(500, 'Client'),
      jwksUri: ProviderUrl,
      authorizationEndpoint: ProviderUrl.optional().describe(
        'With tokenEndpoint, the login page offers the provider: the code flow with PKCE and without a secret',
      ),
      tokenEndpoint: ProviderUrl.optional(),
      emailDomains,
    })
    .refine(
      ({ authorizationEndpoint, tokenEndpoint }) =>
        (authorizationEndpoint === undefined) === (tokenEndpoint === undefined),
      'must have both authorizationEndpoint and tokenEndpoint, or neither',
    ),
  z.strictObject({
    kind: z.literal('saml'),
    name: ProviderName,
    entityId: singleLine(2000, 'Entity'),
    certificates: z.array(Certificate).min(1, 'must have an entry'),
    audience: singleLine(2000, 'Audience'),
    emailDomains,
  }),
  z.strictObject({ kind: z.literal('certificateAuthority'), name: ProviderName, certificate: Certificate }),
]);

export const SeedDocument = z.strictObject({
  $schema: textUpTo(2000).optional().describe('URL of the JSON schema of the document, for editors'),
  clients: z.array(SeedClient).optional(),
  businesses: z.array(SeedBusiness).optional(),
  users: z.array(SeedUser).optional(),
  groups: z.array(SeedGroup).optional(),
  apiKeys: z.array(SeedApiKey).optional(),
  corporateGroups: z.array(SeedCorporateGroup).optional(),
  products: z.array(SeedProduct).optional(),
  mainframe: z.array(SeedLogon).optional(),
  providers: z.array(SeedProvider).optional(),
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
});

export type SeedDocument = z.output<typeof SeedDocument>;
export type SeedClient = z.output<typeof SeedClient>;
export type SeedBusiness = z.output<typeof SeedBusiness>;
export type SeedFactor = z.output<typeof SeedFactor>;
export type SeedUser = z.output<typeof SeedUser>;
export type SeedGroup = z.output<typeof SeedGroup>;
export type SeedCorporateGroup = z.output<typeof SeedCorporateGroup>;
export type SeedApiKey = z.output<typeof SeedApiKey>;
export type SeedLogon = z.output<typeof SeedLogon>;
export type SeedProduct = z.output<typeof SeedProduct>;
export type SeedProvider = z.output<typeof SeedProvider>;

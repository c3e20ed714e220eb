/** Subjects, clients, API keys, groups, businesses, customers and products. */
import * as z from 'zod';
import { sensitive } from '../../../contract/sensitive.ts';
import { idTokenAlgorithms } from '../../../contract/signing-algorithms.ts';
import { toVisibleName } from '../../../contract/visible-names.ts';
import { defineTable, instant, names, secret, text } from './define-table.ts';

/** A `sub` of tokens; without `ownerId` the digest of a removed one, which is never reused. */
export const SubjectRow = z
  .strictObject({ subject: text, kind: z.enum(['user', 'client', 'service']), ownerId: text.optional() })
  .readonly();

export const subjectTable = defineTable(SubjectRow, (row) => row.subject, { unique: {}, index: {} });

export const ClientRow = z
  .strictObject({
    clientId: text,
    secretHash: secret.optional(),
    /** The secret that the last rotation replaced; without `endsAt` it ended then. */
    previousSecret: sensitive(
      z.strictObject({ hash: secret, endsAt: instant.optional() }).readonly().optional(),
      'secret',
    ),
    secretRotatedAt: instant.optional(),
    appId: text,
    party: z.enum(['1STPARTY', '3RDPARTY']),
    authorities: names,
    scope: names,
    grantTypes: names,
    /** The first redirect URI. Rows of earlier versions have no others. */
    redirectURI: text.optional(),
    /** The redirect URIs after the first one: see `readRedirectUris`. */
    otherRedirectURIs: names.optional(),
    /** Audiences of its tokens, besides the issuer. */
    audiences: names.optional(),
    /** Whether a third-party client takes part in browser logins; absent: only a first-party client does. */
    browserLogin: z.boolean().optional(),
    postLogoutRedirectURIs: names.optional(),
    /** Absent: required. */
    requirePkce: z.boolean().optional(),
    requirePushedAuthorizationRequests: z.boolean().optional(),
    /** Absent: RS256. */
    idTokenAlg: z.enum(idTokenAlgorithms).optional(),
    serviceAccountId: text.optional(),
    userId: text.optional(),
    businessId: text.optional(),
    /** The client that created this one, if neither a user nor a business owns it. */
    ownerClientId: text.optional(),
    organizationId: text.optional(),
    businessUnitId: text.optional(),
    factorVisibility: z.enum(['CREDENTIALS_ONLY', 'MARKED_RESOURCES', 'UNRESTRICTED']),
    /** Set for a client created at the first start, which can't be removed. */
    bootstrap: z.enum(['admin', 'app']).optional(),
    createdAt: instant,
    /** Raised when the secret changes: tokens of an earlier generation are rejected, whatever the clocks say. */
    tokenGeneration: z.int().optional(),
  })
  .readonly();

export type Client = z.infer<typeof ClientRow>;

export const clientTable = defineTable(ClientRow, (row) => row.clientId, {
  unique: { serviceAccountId: (row) => row.serviceAccountId, bootstrap: (row) => row.bootstrap },
  index: {
    userId: (row) => row.userId,
    businessId: (row) => row.businessId,
    ownerClientId: (row) => row.ownerClientId,
    organizationId: (row) => row.organizationId,
  },
});

export const ApiKeyRow = z
  .strictObject({
    apiKeyId: text,
    appId: text,
    clientId: text,
    keyHash: secret,
    hint: text,
    /** The key that the last rotation replaced; without `endsAt` it ended then. */
    previousKey: sensitive(
      z.strictObject({ hash: secret, hint: text, endsAt: instant.optional() }).readonly().optional(),
      'secret',
    ),
    rotatedAt: instant.optional(),
    createdAt: instant,
    lastUsedAt: instant.optional(),
  })
  .readonly();

export type ApiKey = z.infer<typeof ApiKeyRow>;

export const apiKeyTable = defineTable(ApiKeyRow, (row) => row.apiKeyId, {
  unique: {
    /** Also of the previous key, which no other key may have: it is found, and rejected once it has ended. */
    keyHash: (row) => (row.previousKey === undefined ? [row.keyHash] : [row.keyHash, row.previousKey.hash]),
  },
  index: { clientId: (row) => row.clientId, appId: (row) => row.appId },
});

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
    /** The visible form of a name from before new names were restricted. */
    visibleName: ({ groupName }) => {
      const visible = toVisibleName(groupName);
      return visible === groupName ? undefined : visible;
    },
  },
});

export const MembershipRow = z
  .strictObject({
    groupId: text,
    kind: z.enum(['user', 'business', 'businessUser', 'service']),
    memberId: text,
    /** With kind businessUser: the business that the user represents. */
    businessId: text.optional(),
    /** With kind service: created without an administrative role, so it grants only roles that the client's owner has. */
    delegated: z.literal(true).optional(),
  })
  .readonly();

export type Membership = z.infer<typeof MembershipRow>;

/** Ids and names contain no slash, so a slash separates them. */
export function membershipKey(row: Membership): string {
  return `${memberListKey(row)}/${row.memberId}`;
}

/** The value of the index `member`: all memberships of one member, or of one user of a business. */
export function memberValue(row: Pick<Membership, 'kind' | 'memberId' | 'businessId'>): string {
  return `${row.kind}/${row.businessId ?? ''}/${row.memberId}`;
}

/** The value of the index `memberList`: the members of one kind in one group; for business users those of one business. */
export function memberListKey(row: Pick<Membership, 'groupId' | 'kind' | 'businessId'>): string {
  return `${row.groupId}/${row.kind}/${row.businessId ?? ''}`;
}

export const membershipTable = defineTable(MembershipRow, membershipKey, {
  unique: {},
  index: {
    group: (row) => row.groupId,
    memberList: memberListKey,
    member: memberValue,
    business: (row) => row.businessId,
  },
});

export const BusinessRow = z
  .strictObject({
    businessId: text,
    businessName: text,
    document: text.optional(),
    organizationId: text.optional(),
    businessUnitId: text.optional(),
    createdAt: instant.optional(),
  })
  .readonly();

export type Business = z.infer<typeof BusinessRow>;

export const businessTable = defineTable(BusinessRow, (row) => row.businessId, {
  unique: { document: (row) => row.document },
  index: {},
});

export const CorporateGroupRow = z
  .strictObject({
    corporateGroupId: text,
    corporateGroupName: text,
    organizationId: text.optional(),
    /** Ids of its businesses. A business belongs to one corporate group at most. */
    businesses: names,
    createdAt: instant,
  })
  .readonly();

export type CorporateGroup = z.infer<typeof CorporateGroupRow>;

export const corporateGroupTable = defineTable(CorporateGroupRow, (row) => row.corporateGroupId, {
  unique: { corporateGroupName: (row) => row.corporateGroupName, business: (row) => row.businesses },
  index: {},
});

export const CustomerRow = z
  .strictObject({
    customerId: z.int(),
    document: text,
    name: text.optional(),
    userId: text.optional(),
    businessId: text.optional(),
    createdAt: instant,
  })
  .readonly();

export type Customer = z.infer<typeof CustomerRow>;

/** Customer ids are numbers; their keys are padded to sort in the same order. */
export function customerKey(customerId: number): string {
  return String(customerId).padStart(12, '0');
}

export const customerTable = defineTable(CustomerRow, (row) => customerKey(row.customerId), {
  unique: {
    userId: (row) => row.userId,
    businessId: (row) => row.businessId,
    document: (row) => `${row.userId === undefined ? 'business' : 'user'}/${row.document}`,
  },
  index: {},
});

/** A product of the embedded product system. */
export const ProductRow = z
  .strictObject({ productId: text, productAlias: text, sku: text, billingTypes: names })
  .readonly();

export type Product = z.infer<typeof ProductRow>;

/** The value of the unique index `named`: product alias and stock keeping unit (SKU). */
export function productName({ productAlias, sku }: Pick<Product, 'productAlias' | 'sku'>): string {
  return `${productAlias}\n${sku}`;
}

export const productTable = defineTable(ProductRow, (row) => row.productId, {
  unique: { named: (row) => productName(row) },
  index: { billingType: (row) => row.billingTypes },
});

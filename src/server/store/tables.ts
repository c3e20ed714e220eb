/**
 * The tables: row schema, primary key, unique and plain indexes, declared by entity in `schema/`.
 * Engines know nothing else about the rows.
 */
import type * as z from 'zod';
import { apiKeyTable } from './schema/api-key.ts';
import { businessTable } from './schema/business.ts';
import { clientTable } from './schema/client.ts';
import { corporateGroupTable } from './schema/corporate-group.ts';
import { counterTable } from './schema/counter.ts';
import { customerTable } from './schema/customer.ts';
import { deviceTable } from './schema/device.ts';
import { factorTable } from './schema/factor.ts';
import { groupTable } from './schema/group.ts';
import { logonTable } from './schema/logon.ts';
import { membershipTable } from './schema/membership.ts';
import { messageTable } from './schema/message.ts';
import { oneTimeTokenTable } from './schema/one-time-token.ts';
import { otpAttemptsTable, otpRateLimitTable, otpTable } from './schema/otp.ts';
import { opaqueTokenTable, productTable } from './schema/product.ts';
import { providerTable, usedAssertionTable } from './schema/provider.ts';
import { refreshTokenTable, revokedTokenTable, sessionTable } from './schema/session.ts';
import { signingKeyTable } from './schema/signing-key.ts';
import { storeSecretTable } from './schema/store-secret.ts';
import { subjectTable } from './schema/subject.ts';
import { userTable } from './schema/user.ts';

export * from './schema/api-key.ts';
export * from './schema/business.ts';
export * from './schema/client.ts';
export * from './schema/corporate-group.ts';
export * from './schema/counter.ts';
export * from './schema/customer.ts';
export * from './schema/device.ts';
export * from './schema/factor.ts';
export * from './schema/group.ts';
export * from './schema/logon.ts';
export * from './schema/membership.ts';
export * from './schema/message.ts';
export * from './schema/one-time-token.ts';
export * from './schema/otp.ts';
export * from './schema/product.ts';
export * from './schema/provider.ts';
export * from './schema/session.ts';
export * from './schema/signing-key.ts';
export * from './schema/store-secret.ts';
export * from './schema/subject.ts';
export * from './schema/user.ts';

export const tables = {
  signingKeys: signingKeyTable,
  subjects: subjectTable,
  clients: clientTable,
  apiKeys: apiKeyTable,
  groups: groupTable,
  memberships: membershipTable,
  users: userTable,
  businesses: businessTable,
  corporateGroups: corporateGroupTable,
  customers: customerTable,
  counters: counterTable,
  sessions: sessionTable,
  refreshTokens: refreshTokenTable,
  revokedTokens: revokedTokenTable,
  messages: messageTable,
  storeSecrets: storeSecretTable,
  codes: otpTable,
  codeFailures: otpAttemptsTable,
  sendings: otpRateLimitTable,
  tickets: oneTimeTokenTable,
  usedProofs: usedAssertionTable,
  devices: deviceTable,
  factors: factorTable,
  logons: logonTable,
  products: productTable,
  opaqueTokens: opaqueTokenTable,
  providers: providerTable,
};

export type TableName = keyof typeof tables;
export type Row<Name extends TableName> = z.infer<(typeof tables)[Name]['schema']>;
export type Uniques<Name extends TableName> = Extract<keyof (typeof tables)[Name]['unique'], string>;
export type Indexes<Name extends TableName> = Extract<keyof (typeof tables)[Name]['index'], string>;

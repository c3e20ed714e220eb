/**
 * The tables: row schema, primary key, unique and plain indexes, declared by subject in `schema/`.
 * Engines know nothing else about the rows.
 */
import type * as z from 'zod';
import {
  apiKeyTable,
  businessTable,
  clientTable,
  corporateGroupTable,
  customerTable,
  groupTable,
  membershipTable,
  productTable,
  subjectTable,
} from './schema/directory.ts';
import { messageTable, otpAttemptsTable, otpRateLimitTable, otpTable } from './schema/messages.ts';
import {
  oneTimeTokenTable,
  opaqueTokenTable,
  providerTable,
  refreshTokenTable,
  revokedTokenTable,
  sessionTable,
  usedAssertionTable,
  usedRefreshTokenTable,
} from './schema/sessions.ts';
import { counterTable, signingKeyTable, storeSecretTable } from './schema/system.ts';
import { deviceTable, factorTable, logonTable, userTable } from './schema/users.ts';

export * from './schema/directory.ts';
export * from './schema/messages.ts';
export * from './schema/sessions.ts';
export * from './schema/system.ts';
export * from './schema/users.ts';

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
  usedRefreshTokens: usedRefreshTokenTable,
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

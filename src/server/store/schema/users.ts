/** Users with their login names, contacts and devices, and the logons of the embedded mainframe. */

import * as z from 'zod';
import { toVisibleName } from '../../../contract/visible-names.ts';
import { foldIdentifier, foldSpelling } from '../../../lib/fold-identifier.ts';
import { readHashCost } from '../hash-cost.ts';
import { defineTable, instant, names, Phone, secret, text } from './define-table.ts';

/** Sources and devices of a user as keyed hashes, in the order in which they were added; `at`: last seen, in epoch seconds. */
const knownSources = z.array(z.strictObject({ hash: text, at: z.number() }).readonly()).readonly();

export const UserRow = z
  .strictObject({
    userId: text,
    userName: text,
    /** Set for an e-mail-like name that was verified, or set by an administrator or a seed. */
    userNameProven: z.literal(true).optional(),
    /** Set for a user that signed up, until an administrator or a seed sets its name: anyone may have chosen the name. */
    selfRegistered: z.literal(true).optional(),
    passwordHash: secret.optional(),
    /** The digest of the hash that a login replaced by `passwordHash`: a seed that still has it means the same password. */
    replacedHash: secret.optional(),
    userEmail: text.optional(),
    emailVerified: z.boolean(),
    userMobile: Phone.optional(),
    mobileVerified: z.boolean(),
    businessId: text.optional(),
    lead: z.boolean(),
    locked: z.boolean(),
    lockReason: text.optional(),
    /** Additional login identifiers. */
    identities: names,
    legacyLogons: names.optional(),
    /** Where the user logged in. */
    knownSources: knownSources.optional(),
    /** Where the user completed a second factor. */
    mfaSources: knownSources.optional(),
    /** What the user lets third-party clients do after logins in the browser. */
    consents: z
      .array(z.strictObject({ clientId: text, scopes: names, at: instant }).readonly())
      .readonly()
      .optional(),
    /** Set for the administrator created at the first start. */
    bootstrap: z.enum(['admin']).optional(),
    createdAt: instant,
  })
  .readonly();

export type User = z.infer<typeof UserRow>;

/** Whether a name looks like an e-mail address: such a name is a login name once it is verified. */
export function hasEmailForm(name: string): boolean {
  return /^.+@.+$/su.test(foldIdentifier(name));
}

/** Whether a name looks like a link to an external account or a certificate: `<provider>:<subject>`. */
export function hasLinkForm(name: string): boolean {
  return foldIdentifier(name).includes(':');
}

/** Whether the user name can be used to log in. A name that looks like an e-mail address must be verified first. */
export function isUserNameVerified(user: User): boolean {
  if (hasLinkForm(user.userName)) return false;
  if (!hasEmailForm(user.userName) || user.userNameProven || user.bootstrap !== undefined) return true;
  const { userEmail = '', emailVerified } = user;
  return emailVerified && foldIdentifier(userEmail) === foldIdentifier(user.userName);
}

/** Whether no other person could have chosen the user name: it is verified, or an administrator or a seed set it. */
export function isUserNameProven(user: User): boolean {
  return isUserNameVerified(user) && (user.selfRegistered === undefined || hasEmailForm(user.userName));
}

/** All login names of a user, unique over all users. A user id that looks like another kind of name is not one. */
export function loginNames(user: User): string[] {
  return [...new Set(listLoginNames(user).map(foldIdentifier))];
}

/** The login names as the index has them. */
export function loginKeys(user: User): string[] {
  return [...new Set(listLoginNames(user).map(foldSpelling))];
}

function listLoginNames(user: User): string[] {
  const names = [...user.identities];
  if (!hasLinkForm(user.userId) && !user.userId.includes('@')) names.push(user.userId);
  if (isUserNameVerified(user)) names.push(user.userName);
  if (user.userEmail !== undefined && user.emailVerified) names.push(user.userEmail);
  return names;
}

/** The cost of a hash that the service makes. */
export const defaultHashCost = '$argon2id$v=19$m=19456,t=2,p=1$22$43';
/** In place of a cost, for users without a hash. */
export const noHashCost = 'none';

/** Hashes of other costs are few or temporary, so the index has an entry for them only. */
function readOtherHashCost({ passwordHash }: User): string | undefined {
  const cost = (passwordHash === undefined ? undefined : readHashCost(passwordHash)) ?? noHashCost;
  return cost === defaultHashCost ? undefined : cost;
}

export const userTable = defineTable(UserRow, (row) => row.userId, {
  unique: { login: loginKeys, legacyLogon: (row) => row.legacyLogons, bootstrap: (row) => row.bootstrap },
  index: {
    businessId: (row) => row.businessId,
    /** What it costs to verify the password, except for hashes that the service makes. */
    hashCost: readOtherHashCost,
    /** The visible forms of login names from before new names were restricted. */
    visibleLogin: (row) =>
      loginKeys(row).flatMap((name) => {
        const visible = foldSpelling(toVisibleName(name));
        return visible === name ? [] : [visible];
      }),
  },
});

/** An alternative contact of a user. */
export const FactorRow = z
  .strictObject({
    factorId: text,
    userId: text,
    contactType: z.enum(['EMAIL', 'MOBILE']),
    email: text.optional(),
    mobile: Phone.optional(),
    tags: names,
    verified: z.boolean(),
    createdAt: instant,
  })
  .readonly();

export type Factor = z.infer<typeof FactorRow>;

export const factorTable = defineTable(FactorRow, (row) => row.factorId, {
  unique: {},
  index: { userId: (row) => row.userId },
});

/** A device of a user. Its token is stored as a hash. */
export const DeviceRow = z
  .strictObject({
    deviceKey: text,
    userId: text,
    deviceId: text,
    deviceVersion: z.enum(['V1', 'V2']).optional(),
    deviceName: text.optional(),
    tokenHash: secret,
    createdAt: instant,
  })
  .readonly();

export type Device = z.infer<typeof DeviceRow>;

export const deviceTable = defineTable(DeviceRow, (row) => row.deviceKey, {
  unique: { tokenHash: (row) => row.tokenHash },
  index: { userId: (row) => row.userId },
});

/** A logon of the embedded mainframe. */
export const LogonRow = z
  .strictObject({
    logon: text,
    passwordHash: secret.optional(),
    email: text.optional(),
    mobile: Phone.optional(),
  })
  .readonly();

export type Logon = z.infer<typeof LogonRow>;

export const logonTable = defineTable(LogonRow, (row) => row.logon, { unique: {}, index: {} });

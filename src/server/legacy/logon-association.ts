/** Links a logon to a signed-in user, with a one-time code sent to a contact of the logon in the mainframe. */

import { assertMfaForAdministrator } from '../directory/object-access.ts';
import { type Principal, requireUserCaller } from '../directory/principal.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { type Contact, maskContactOrDecoy } from '../messaging/contacts.ts';
import { sendOtp, subjectOfUser } from '../mfa/otp.ts';
import { createDecoyContacts } from '../mfa/otp-decoys.ts';
import { consumeOtpRateLimit, consumeUnverifiedOtpLimit, formatSecondFactorLimit } from '../mfa/otp-rate-limit.ts';
import { resolveSessionOtpSource } from '../mfa/otp-source.ts';
import type { OtpDeps } from '../mfa/otp-value.ts';
import { revalidateCaller } from '../sessions/revalidate-caller.ts';
import type { Store } from '../store/store.ts';
import type { LogonContacts, Mainframe } from './mainframe.ts';
import { findLogonOwner, normalizeLogon } from './mainframe-logons.ts';

export const associationPurpose = 'legacy-association';

export interface AssociationDeps extends OtpDeps {
  readonly source: RequestSource;
  readonly store: Store;
  readonly mainframe: Mainframe;
  readonly caller: Principal;
}

/** The code transaction as the caller sees it, with the masked contact. */
export interface LogonAssociation {
  readonly challengeId: string;
  readonly contact: string;
  readonly expiresIn: string;
}

/** A channel to the owner of a logon. */
export interface AssociationChannel {
  readonly channel: Contact['channel'];
  contactOf(contacts: LogonContacts): Contact | undefined;
}

/**
 * Sends the code. A logon that does not exist, has no such contact or belongs to a user gets the same kind of response:
 * a code is created, but sent to no contact and linked to no logon.
 * @throws IamError USER_MISSING, MFA_MISSING, TOKEN_INVALID, TOO_MANY_CODES, MAINFRAME_UNAVAILABLE.
 */
export async function startAssociation(
  logonName: string,
  { channel, contactOf }: AssociationChannel,
  deps: AssociationDeps,
): Promise<LogonAssociation> {
  const { user, session } = requireUserCaller(deps.caller);
  const logon = normalizeLogon(logonName);
  const logonContacts = await deps.mainframe.find(logon);
  const logonContact = logonContacts && contactOf(logonContacts);
  const started = await deps.store.transaction(async (tx) => {
    await revalidateCaller(tx, deps.caller, deps.clock);
    await assertMfaForAdministrator(tx, user, deps.caller);
    const source = resolveSessionOtpSource(user, session, deps);
    // The contact is not one of the user, and may belong to another person.
    await consumeUnverifiedOtpLimit(tx, user.userId, deps);
    await consumeOtpRateLimit(tx, `association:${logon}`, deps, { source });
    const contact = (await findLogonOwner(tx, logon)) ? undefined : logonContact;
    const binding = { purpose: associationPurpose, subject: subjectOfUser(user.userId) } as const;
    const contacts = contact ? [contact] : [];
    const decoys = createDecoyContacts(deps.storeSecret.digest(associationPurpose, logon), 1);
    const request = {
      ...{ ...binding, contacts, decoys, source, quiet: true, about: contact && logon },
      formatLimit: formatSecondFactorLimit,
    };
    return { contact, sent: await sendOtp(tx, request, deps) };
  });
  deps.outbox.wake();
  const { contact, sent } = started;
  return {
    challengeId: sent.codeId,
    contact: maskContactOrDecoy(contact, { channel, identifier: logon }, deps.storeSecret),
    expiresIn: sent.expiresIn,
  };
}

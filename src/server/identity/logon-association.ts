/** Binding a logon to a signed-in user, by a code to a contact that the mainframe holds for the logon. */

import type { RequestSource } from '../http/request-source.ts';
import type { LogonContacts, Mainframe } from '../ports/mainframe.ts';
import type { Store } from '../store/store.ts';
import type { Contact } from './contacts.ts';
import { masked, maskedOfNobody } from './contacts.ts';
import { foldLogon, ownerOfLogon } from './logons.ts';
import { type SentCode, sendCode, subjectOfUser } from './otp.ts';
import { decoyContacts } from './otp-decoys.ts';
import { countSending } from './otp-rate-limit.ts';
import { otpSourceInSession } from './otp-source.ts';
import type { OtpDeps } from './otp-value.ts';
import { type Principal, requireUserCaller } from './principal.ts';
import { requireProofFor } from './rules.ts';
import { requireStillCalling } from './still-calling.ts';

export const association = 'legacy-association';

export interface AssociationTools extends OtpDeps {
  readonly source: RequestSource;
  readonly store: Store;
  readonly mainframe: Mainframe;
  readonly caller: Principal;
}

/** One way to reach the owner of a logon. */
export interface AssociationWay {
  readonly channel: Contact['channel'];
  contactOf(contacts: LogonContacts): Contact | undefined;
}

/**
 * Sends the code. A logon that is not there, has no such contact, or belongs to somebody already gets the same kind of
 * answer: a code is made as well, which goes nowhere and binds nothing.
 * @throws IamError USER_MISSING, MFA_MISSING, TOKEN_INVALID, TOO_MANY_CODES, MAINFRAME_UNAVAILABLE.
 */
export async function beginAssociation(
  given: string,
  { channel, contactOf }: AssociationWay,
  tools: AssociationTools,
): Promise<SentCode & { readonly contact: string }> {
  const { user, session } = requireUserCaller(tools.caller);
  const logon = foldLogon(given);
  const known = await tools.mainframe.find(logon);
  const held = known && contactOf(known);
  const begun = await tools.store.transaction(async (tx) => {
    await requireStillCalling(tx, tools.caller, tools.clock);
    await requireProofFor(tx, user, tools.caller);
    const source = await otpSourceInSession(tx, user, session, tools);
    await countSending(tx, `logon:${logon}`, tools, { source });
    const contact = (await ownerOfLogon(tx, logon)) ? undefined : held;
    const holder = { purpose: association, subject: subjectOfUser(user.userId) } as const;
    const contacts = contact ? [contact] : [];
    const decoys = decoyContacts(tools.storeKey.digest(association, logon), 1);
    const request = { ...holder, contacts, decoys, source, quiet: true, about: contact && logon };
    return { contact, sent: await sendCode(tx, request, tools) };
  });
  tools.outbox.kept();
  const { contact, sent } = begun;
  // Worked out in either case, so that it takes as long.
  const ofNobody = maskedOfNobody(channel, logon, tools.storeKey);
  return { ...sent, contact: contact ? masked(contact) : ofNobody };
}

/** The part of the error table for well-formed values that a rule refuses: 422. */
import type { ErrorEntry } from './error-entry.ts';

export const ruleErrors = {
  OWNER_AMBIGUOUS: {
    status: 422,
    category: 'value',
    message: 'A client has at most one owner.',
    hint: 'Send one of userId, businessId and serviceAccountId.',
  },
  SELECTION_AMBIGUOUS: {
    status: 422,
    category: 'value',
    message: 'Clients are chosen in one way, not in two.',
    hint: 'Send either clientIds or source.',
  },
  LISTED_BUSINESS_UNKNOWN: {
    status: 422,
    category: 'unknown-reference',
    message: 'The list names a business that is not there.',
    hint: 'Check the business ids; a business comes to be as a customer.',
  },
  BUSINESS_IN_CORPORATE_GROUP: {
    status: 422,
    category: 'conflict',
    message: 'The business is in another corporate group.',
    hint: 'Take it out of that one first: a business is in one at most.',
  },
  ROLE_RESERVED: {
    status: 422,
    category: 'value',
    message: 'This role is given by the service itself, never by a group.',
    hint: 'Choose a role that does not start with CLI- or AUTH- and is not USER, PERSON or BUSINESS.',
  },
  SERVICE_UNKNOWN: {
    status: 422,
    category: 'unknown-reference',
    message: 'There is no service of this id.',
    hint: 'Check the service account id; a client gets one when it is made.',
  },
  USER_NOT_OF_BUSINESS: {
    status: 422,
    category: 'value',
    message: 'The business has no user of this id.',
    hint: 'Check the user id, or make the user one of this business first.',
  },
  DEPENDENCY_UNKNOWN: {
    status: 422,
    category: 'unknown-reference',
    message: 'There is no group of the name that the dependency gives.',
    hint: 'Create that group first.',
  },
  DEPENDENCY_CYCLE: {
    status: 422,
    category: 'value',
    message: 'The groups would depend on each other in a circle.',
    hint: 'Leave out one of the dependencies of the circle.',
  },
  PASSWORD_TOO_SHORT: {
    status: 422,
    category: 'value',
    message: 'The password is too short.',
    hint: 'Choose one of at least 8 characters.',
  },
  PASSWORD_TOO_LONG: {
    status: 422,
    category: 'value',
    message: 'The password is too long.',
    hint: 'Choose one of at most 128 characters.',
  },
  PASSWORD_COMMON: {
    status: 422,
    category: 'value',
    message: 'The password is one of those that are tried first.',
    hint: 'Choose one that others do not use; several words are easy to keep in mind.',
  },
  PASSWORD_CONTEXT: {
    status: 422,
    category: 'value',
    message: 'The password contains the user name or the e-mail address.',
    hint: 'Choose one that nobody guesses from the account.',
  },
  PASSWORD_NOT_FOR_MAINFRAME: {
    status: 422,
    category: 'value',
    setting: 'mainframe-password-rule',
    message: 'The mainframe does not take this password.',
    hint: 'Choose one that keeps the rule of the mainframe, see the setting mainframe-password-rule.',
  },
  CONTACT_AMBIGUOUS: {
    status: 422,
    category: 'value',
    message: 'Exactly one contact is asked for.',
    hint: 'Send either an e-mail or a mobile number, and the one that contactType names.',
  },
  TAG_TAKEN: {
    status: 422,
    category: 'taken',
    message: 'One e-mail and one mobile at most carry the tag MARKED_RESOURCES.',
    hint: 'Take the tag off the other contact first.',
  },
  TOO_MANY_FACTORS: {
    status: 422,
    category: 'value',
    message: 'The user has as many alternative contacts as one may have.',
    hint: 'Remove one that is no longer used.',
  },
  SCOPE_EXCEEDED: {
    status: 422,
    category: 'value',
    message: 'More scope is asked for than there is to give.',
    hint: 'Ask for a part of the scope of the client.',
  },
  GRANT_TYPE_NOT_ALLOWED: {
    status: 422,
    category: 'grant',
    message: 'The client may not use this grant type.',
    hint: 'Use one of the grant types that the client is registered with.',
  },
} as const satisfies Record<string, ErrorEntry>;

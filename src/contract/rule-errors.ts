/** The part of the error table for well-formed values that a rule rejects: 422. */
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
    message: 'Select clients either by clientIds or by source.',
    hint: 'Send only one of clientIds and source.',
  },
  LISTED_BUSINESS_UNKNOWN: {
    status: 422,
    category: 'unknown-reference',
    message: 'The list contains a business that does not exist.',
    hint: 'List businesses with `iam businesses list`. Create one with `iam customers create-business`.',
  },
  BUSINESS_IN_CORPORATE_GROUP: {
    status: 422,
    category: 'conflict',
    message: 'The business is already in another corporate group.',
    hint: 'Remove it from the other group first. A business is in at most one corporate group.',
  },
  ROLE_RESERVED: {
    status: 422,
    category: 'value',
    message: 'This role is reserved for the service. A group cannot grant it.',
    hint: 'Choose a role that does not start with CLI- or AUTH- and is not USER, PERSON or BUSINESS.',
  },
  SERVICE_UNKNOWN: {
    status: 422,
    category: 'unknown-reference',
    message: 'No service has this id.',
    hint: 'List clients and their service accounts with `iam clients list`.',
  },
  USER_NOT_OF_BUSINESS: {
    status: 422,
    category: 'value',
    message: 'The user does not belong to this business.',
    hint: 'Check the user id, or assign the user to the business first.',
  },
  DEPENDENCY_UNKNOWN: {
    status: 422,
    category: 'unknown-reference',
    message: 'The group in the dependency does not exist.',
    hint: 'Create the group first.',
  },
  DEPENDENCY_CYCLE: {
    status: 422,
    category: 'value',
    message: 'The dependencies of the groups would form a cycle.',
    hint: 'Omit one of the dependencies in the cycle.',
  },
  PASSWORD_TOO_SHORT: {
    status: 422,
    category: 'value',
    message: 'The password is too short.',
    hint: 'Choose a password with at least 8 characters.',
  },
  PASSWORD_TOO_LONG: {
    status: 422,
    category: 'value',
    message: 'The password is too long.',
    hint: 'Choose a password with at most 128 characters.',
  },
  PASSWORD_COMMON: {
    status: 422,
    category: 'value',
    message: 'The password is too common.',
    hint: 'Choose a less common password, for example several unrelated words.',
  },
  PASSWORD_CONTEXT: {
    status: 422,
    category: 'value',
    message: 'The password contains the user name or the e-mail address.',
    hint: 'Choose a password that cannot be guessed from the account.',
  },
  PASSWORD_NOT_FOR_MAINFRAME: {
    status: 422,
    category: 'value',
    setting: 'mainframe-password-rule',
    message: 'The mainframe does not accept this password.',
    hint: 'Choose a password that matches the setting mainframe-password-rule.',
  },
  CONTACT_AMBIGUOUS: {
    status: 422,
    category: 'value',
    message: 'Exactly one contact is required.',
    hint: 'Send either an e-mail address or a mobile number. It must match contactType.',
  },
  TAG_TAKEN: {
    status: 422,
    category: 'taken',
    message: 'At most one e-mail address and one mobile number can have the tag MARKED_RESOURCES.',
    hint: 'Remove the tag from the other contact first.',
  },
  TOO_MANY_FACTORS: {
    status: 422,
    category: 'value',
    message: 'The user has the maximum number of alternative contacts.',
    hint: 'Remove a contact that is no longer used.',
  },
  SCOPE_EXCEEDED: {
    status: 422,
    category: 'value',
    message: 'The requested scope exceeds the available scope.',
    hint: 'Request a subset of the scope of the client.',
  },
  GRANT_TYPE_NOT_ALLOWED: {
    status: 422,
    category: 'grant',
    message: 'The client may not use this grant type.',
    hint: 'Use a grant type that the client is registered for.',
  },
} as const satisfies Record<string, ErrorEntry>;
